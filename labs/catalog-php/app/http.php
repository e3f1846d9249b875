<?php
class Answered extends Exception {}

function send($status, $value, $headers = array()) {
    http_response_code($status);
    foreach ($headers as $name => $text) header("$name: $text");
    header('Content-Type: application/json; charset=utf-8');
    echo json_encode($value);
}

function fail($status, $code, $message, $more = array()) {
    send($status, array('error' => array('code' => $code, 'message' => $message) + $more));
    throw new Answered();
}

function allow($method, ...$methods) {
    if (in_array($method, $methods)) return;
    header('Allow: ' . implode(', ', $methods));
    fail(405, 'method_not_allowed', "$method is not allowed here");
}

function page_link($page, $rel) {
    return '</products?' . http_build_query(array_merge($_GET, array('page' => $page))) . ">; rel=\"$rel\"";
}

/** The present: of the environment where it is given, so that a run can be repeated. */
function now() {
    $clock = getenv('PARITY_CLOCK');
    return $clock ? strtotime($clock) : time();
}

/** One connection for each request; NOW() in it is the present of the application. */
function db() {
    static $db = null;
    if ($db === null) {
        $db = new PDO('mysql:host=' . getenv('DB_HOST') . ';dbname=shop;charset=utf8mb4', 'app', getenv('DB_PASSWORD'));
        $db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
        $db->setAttribute(PDO::ATTR_DEFAULT_FETCH_MODE, PDO::FETCH_ASSOC);
        $db->exec("SET time_zone = '+00:00', timestamp = " . now());
    }
    return $db;
}

function query($sql, $values = array()) {
    $statement = db()->prepare($sql);
    $statement->execute($values);
    return $statement;
}
