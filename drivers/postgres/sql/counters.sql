-- What the server has counted, over all its databases. A standby writes no log of its own.
-- Last how far the oldest snapshot of a session lies back: vacuum cannot remove what came after it.
PREPARE tacho_counters AS
SELECT
    sum(xact_commit),
    sum(xact_rollback),
    sum(deadlocks),
    sum(blks_read),
    sum(blks_hit),
    sum(temp_bytes),
    CASE
        WHEN pg_catalog.pg_is_in_recovery() THEN 0
        ELSE pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), '0/0')
    END,
    (
        SELECT coalesce(max(age(backend_xmin)), 0)
        FROM pg_catalog.pg_stat_activity
        WHERE pid <> pg_backend_pid()
    )
FROM pg_catalog.pg_stat_database
