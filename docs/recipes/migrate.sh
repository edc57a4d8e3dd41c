#!/bin/sh
# Applies the files of $MIGRATIONS that were not applied yet, in order, each in a transaction. Run it under a lock:
#   holdfast run shop-migration -w 10m -- ./migrate.sh
# The connection is that of psql: PGHOST, PGUSER, PGDATABASE and so on.
set -eu
migrations=${MIGRATIONS:-migrations}
: "${HOLDFAST_TOKEN:?run it under holdfast}"
export PGOPTIONS='-c client_min_messages=warning'
sql() { psql -v ON_ERROR_STOP=1 -qAt "$@"; }

sql -c 'CREATE TABLE IF NOT EXISTS migration (file text PRIMARY KEY, token bigint NOT NULL)'
for file in "$migrations"/*.sql; do
  name=$(basename "$file")
  [ -z "$(echo "SELECT 1 FROM migration WHERE file = :'name'" | sql -v name="$name")" ] || continue
  # The file and its record together. The lock on the table ends a race with a holder that does not know yet that it
  # lost the lock, and an older token than the newest is refused.
  {
    echo 'BEGIN; LOCK TABLE migration;'
    echo "SELECT 1 / (CASE WHEN coalesce(max(token), 0) <= :token THEN 1 ELSE 0 END) FROM migration;"
    cat "$file"
    echo "; INSERT INTO migration VALUES (:'name', :token); COMMIT;"
  } | sql -v name="$name" -v token="$HOLDFAST_TOKEN" >/dev/null
  echo "applied $name"
done
