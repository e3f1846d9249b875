#!/bin/sh
# client.sh DATABASE [OPTION…]: the administrator's client, over the socket.
exec mariadb --no-defaults --socket=/tmp/mysqld.sock --default-character-set=utf8mb4 -u root "$@"
