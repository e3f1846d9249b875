<?php
const COLUMNS = 'id, sku, name, category, description, price, stock, weight, active, released, attributes, created_at, updated_at';
const SORTABLE = array('id', 'sku', 'name', 'category', 'price', 'stock', 'weight', 'released', 'created_at');

function list_products() {
    $page = max(1, (int) ($_GET['page'] ?? 1));
    $per_page = (int) ($_GET['per_page'] ?? 10);
    if ($per_page < 1) $per_page = 10;
    if ($per_page > 50) $per_page = 50;
    $sort = $_GET['sort'] ?? 'id';
    if (!in_array($sort, SORTABLE, true)) $sort = 'id';
    $order = strtolower($_GET['order'] ?? 'asc') === 'desc' ? 'DESC' : 'ASC';

    $where = array('1 = 1');
    $values = array();
    $filters = array(
        'category' => 'category = ?',
        'min_price' => 'price >= ?',
        'max_price' => 'price <= ?',
        'active' => 'active = ?',
        'created_after' => 'created_at > ?',
    );
    foreach ($filters as $name => $condition) {
        if (!isset($_GET[$name]) || $_GET[$name] === '') continue;
        $where[] = $condition;
        $values[] = $_GET[$name];
    }
    if (!empty($_GET['available'])) {
        $where[] = 'active = 1 AND stock > 0 AND (released IS NULL OR released <= CURDATE())';
    }
    $where = implode(' AND ', $where);

    $total = query("SELECT COUNT(*) FROM products WHERE $where", $values)->fetchColumn();
    $pages = (int) ceil($total / $per_page);
    $offset = ($page - 1) * $per_page;
    $rows = query('SELECT ' . COLUMNS . " FROM products WHERE $where ORDER BY $sort $order, id $order LIMIT $offset, $per_page", $values)->fetchAll();

    $links = array();
    if ($page > 1) $links[] = page_link($page - 1, 'prev');
    if ($page < $pages) $links[] = page_link($page + 1, 'next');
    $headers = array('X-Total-Count' => $total);
    if ($links) $headers['Link'] = implode(', ', $links);
    send(200, array(
        'items' => array_map('shown', $rows),
        'total' => $total,
        'page' => $page,
        'per_page' => $per_page,
        'pages' => $pages,
    ), $headers);
}

function list_categories() {
    $rows = query('SELECT MIN(category) AS category, COUNT(*) AS products, SUM(stock) AS stock, AVG(price) AS average_price,
        MIN(price) AS cheapest, MAX(created_at) AS newest FROM products GROUP BY category ORDER BY category')->fetchAll();
    send(200, $rows);
}

function search_products() {
    $q = trim($_GET['q'] ?? '');
    if ($q === '') fail(400, 'bad_query', 'q is required');
    $rows = query('SELECT ' . COLUMNS . ' FROM products WHERE name LIKE ? OR description LIKE ? ORDER BY name, id', array("%$q%", "%$q%"))->fetchAll();
    send(200, array('q' => $q, 'items' => array_map('shown', $rows), 'total' => count($rows)));
}

function show_product($id) {
    $row = find($id);
    $modified = gmdate('D, d M Y H:i:s', strtotime($row['updated_at'] . ' UTC')) . ' GMT';
    if (($_SERVER['HTTP_IF_MODIFIED_SINCE'] ?? '') === $modified) {
        http_response_code(304);
        return;
    }
    send(200, shown($row) + array('value' => $row['price'] * $row['stock']), array('Last-Modified' => $modified));
}

function create_product() {
    $row = read_product(read_input(), false);
    $names = array_keys($row);
    query('INSERT INTO products (' . implode(', ', $names) . ', created_at, updated_at) VALUES ('
        . str_repeat('?, ', count($names)) . 'NOW(), NOW())', array_values($row));
    $id = db()->lastInsertId();
    send(201, shown(find($id)), array('Location' => "/products/$id"));
}

function update_product($id, $partial) {
    $row = read_product(read_input(), $partial);
    if (!$row) fail(400, 'nothing', 'nothing to change');
    $set = implode(', ', array_map(function ($name) { return "$name = ?"; }, array_keys($row)));
    $changed = query("UPDATE products SET $set WHERE id = ?", array_merge(array_values($row), array($id)))->rowCount();
    if ($changed === 0) fail(404, 'not_found', "no product $id");
    send(200, shown(find($id)));
}

function delete_product($id) {
    $deleted = query('DELETE FROM products WHERE id = ?', array($id))->rowCount();
    if ($deleted === 0) fail(404, 'not_found', "no product $id");
    http_response_code(204);
}

function reserve_product($id) {
    $in = read_input();
    $errors = array();
    if (!isset($in['quantity'])) $errors['quantity'] = 'is required';
    else $quantity = read_count($in, 'quantity', $errors);
    if (!$errors && $quantity === 0) $errors['quantity'] = 'must be at least 1';
    if ($errors) fail(422, 'invalid', 'the quantity is not valid', array('fields' => $errors));
    find($id);
    $reserved = query('UPDATE products SET stock = stock - ? WHERE id = ? AND stock >= ?', array($quantity, $id, $quantity))->rowCount();
    $stock = find($id)['stock'];
    if ($reserved === 0) fail(409, 'out_of_stock', "only $stock left", array('stock' => $stock));
    send(200, array('id' => $id, 'reserved' => $quantity, 'stock' => $stock));
}

function find($id) {
    $row = query('SELECT ' . COLUMNS . ' FROM products WHERE id = ?', array($id))->fetch();
    if (!$row) fail(404, 'not_found', "no product $id");
    return $row;
}

function shown($row) {
    $row['attributes'] = json_decode($row['attributes'], true);
    return $row;
}
