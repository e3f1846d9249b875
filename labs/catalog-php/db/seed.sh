#!/bin/sh
# Both databases hold the seed: one is used, the other is what it is made anew from.
set -eu
for database in shop_seed shop; do
  sh /opt/lab/client.sh "$database" < /opt/lab/schema.sql
  sh /opt/lab/client.sh "$database" < /opt/lab/seed.sql
done
