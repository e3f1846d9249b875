<?php
/** The fields of a form, or else of a JSON body. */
function read_input() {
    if ($_POST) return $_POST;
    $in = json_decode(file_get_contents('php://input'), true);
    if (json_last_error() !== JSON_ERROR_NONE) fail(400, 'bad_json', json_last_error_msg());
    if (!is_array($in)) fail(400, 'bad_json', 'expected an object');
    return $in;
}

function read_text($in, $name, $max, &$errors) {
    if (!is_string($in[$name])) {
        $errors[$name] = 'must be text';
        return null;
    }
    $text = trim($in[$name]);
    if ($text === '') $errors[$name] = 'must not be empty';
    if (strlen($text) > $max) $errors[$name] = "at most $max characters";
    return $text;
}

function read_number($in, $name, $max, &$errors) {
    if (!is_numeric($in[$name])) $errors[$name] = 'must be a number';
    elseif ($in[$name] < 0) $errors[$name] = 'must not be negative';
    elseif ($in[$name] > $max) $errors[$name] = "at most $max";
    return $in[$name];
}

function read_count($in, $name, &$errors) {
    $count = filter_var($in[$name], FILTER_VALIDATE_INT);
    if ($count === false) $errors[$name] = 'must be a whole number';
    elseif ($count < 0) $errors[$name] = 'must not be negative';
    return $count;
}

/** The columns that a body gives. What is null counts as not given. */
function read_product($in, $partial) {
    $errors = array();
    $row = array();
    foreach (array('sku', 'name', 'category', 'price') as $name) {
        if (!isset($in[$name]) && !$partial) $errors[$name] = 'is required';
    }
    if (isset($in['sku'])) $row['sku'] = read_text($in, 'sku', 20, $errors);
    if (isset($in['name'])) $row['name'] = read_text($in, 'name', 80, $errors);
    if (isset($in['category'])) $row['category'] = read_text($in, 'category', 40, $errors);
    if (isset($in['price'])) $row['price'] = read_number($in, 'price', 99999.99, $errors);

    if (isset($in['description'])) $row['description'] = is_string($in['description']) ? $in['description'] : json_encode($in['description']);
    elseif (!$partial) $row['description'] = '';

    if (isset($in['stock'])) $row['stock'] = read_count($in, 'stock', $errors);
    elseif (!$partial) $row['stock'] = 0;

    if (isset($in['weight'])) $row['weight'] = read_number($in, 'weight', 9999999, $errors);
    elseif (!$partial) $row['weight'] = null;

    if (isset($in['active'])) {
        $active = filter_var($in['active'], FILTER_VALIDATE_BOOLEAN, FILTER_NULL_ON_FAILURE);
        if ($active === null) $errors['active'] = 'must be true or false';
        $row['active'] = $active ? 1 : 0;
    } elseif (!$partial) $row['active'] = 1;

    if (isset($in['released'])) {
        $day = is_string($in['released']) ? DateTime::createFromFormat('Y-m-d', $in['released']) : false;
        if ($day === false) $errors['released'] = 'must be YYYY-MM-DD';
        else $row['released'] = $day->format('Y-m-d');
    } elseif (!$partial) $row['released'] = null;

    if (isset($in['attributes'])) {
        if (!is_array($in['attributes'])) $errors['attributes'] = 'must be an object';
        $row['attributes'] = json_encode($in['attributes']);
    } elseif (!$partial) $row['attributes'] = '[]';

    if ($errors) fail(422, 'invalid', 'the product is not valid', array('fields' => $errors));
    return $row;
}
