<?php
// Front controller: php -S 0.0.0.0:8000 /app/index.php
require __DIR__ . '/http.php';
require __DIR__ . '/input.php';
require __DIR__ . '/catalog.php';

$method = $_SERVER['REQUEST_METHOD'] === 'HEAD' ? 'GET' : $_SERVER['REQUEST_METHOD'];
$path = rtrim(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH), '/');

try {
    if ($path === '/products') {
        allow($method, 'GET', 'POST');
        $method === 'GET' ? list_products() : create_product();
    } elseif ($path === '/categories') {
        allow($method, 'GET');
        list_categories();
    } elseif ($path === '/search') {
        allow($method, 'GET');
        search_products();
    } elseif (preg_match('#^/products/(\d+)$#', $path, $m)) {
        allow($method, 'GET', 'PUT', 'PATCH', 'DELETE');
        switch ($method) {
            case 'GET': show_product($m[1]); break;
            case 'PUT': update_product($m[1], false); break;
            case 'PATCH': update_product($m[1], true); break;
            case 'DELETE': delete_product($m[1]); break;
        }
    } elseif (preg_match('#^/products/(\d+)/reserve$#', $path, $m)) {
        allow($method, 'POST');
        reserve_product($m[1]);
    } elseif ($path === '/health') {
        db()->query('SELECT 1');
        send(200, array('ok' => true));
    } else {
        fail(404, 'not_found', "no route for $path");
    }
} catch (Answered $e) {
    // sent
} catch (PDOException $e) {
    if ($e->getCode() === '23000') {
        send(409, array('error' => array('code' => 'duplicate', 'message' => 'this SKU is taken')));
    } else {
        error_log($e->getMessage());
        send(500, array('error' => array('code' => 'internal', 'message' => 'database error')));
    }
}
