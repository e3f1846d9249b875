#!/bin/sh
# MariaDB over a data folder that is made at each boot: it lies in memory, and any user may own it.
set -eu
mysql_install_db --no-defaults --datadir=/data --auth-root-authentication-method=normal --skip-test-db > /tmp/install.log 2>&1 ||
  { cat /tmp/install.log >&2; exit 1; }
cat > /tmp/init.sql <<SQL
CREATE DATABASE shop CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE DATABASE shop_seed CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE USER app@'%' IDENTIFIED BY '${DB_PASSWORD}';
GRANT ALL ON shop.* TO app@'%';
SQL
exec mariadbd --no-defaults --datadir=/data --socket=/tmp/mysqld.sock --pid-file=/tmp/mysqld.pid \
  --bind-address=0.0.0.0 --port=3306 --skip-name-resolve --init-file=/tmp/init.sql --tmpdir=/tmp \
  --character-set-server=utf8mb4 --collation-server=utf8mb4_general_ci --lc-messages-dir=/usr/share/mysql/english \
  --innodb-buffer-pool-size=32M --innodb-log-file-size=8M --innodb-flush-log-at-trx-commit=0 --performance-schema=OFF
