-- MiB of log since the last checkpoint: what was changed since then is not all in the data files.
SELECT (pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) / 1048576)::bigint FROM pg_control_checkpoint()
