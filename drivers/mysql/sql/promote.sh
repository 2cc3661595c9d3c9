# Executes what the replica has received, and lets it take writes. The words are the client with its options.
set -eu
"$@" --execute 'STOP SLAVE IO_THREAD'
status() { "$@" --column-names --vertical --execute 'SHOW SLAVE STATUS'; }
received=$(status "$@" | sed -n 's/^ *Gtid_IO_Pos: *//p')
if [ -n "$received" ]; then
  executed=$("$@" --execute "SELECT MASTER_GTID_WAIT('$received', 120)")
  if [ "$executed" != 0 ]; then
    status "$@" | sed -n 's/^ *Last_SQL_Error: *//p' >&2
    echo "the replica has not executed all that it has received" >&2
    exit 1
  fi
fi
"$@" --execute 'STOP SLAVE; RESET SLAVE ALL'
