-- Ended transactions of the whole server; the rollbacks of this database beside them. Then when this
-- was asked, and when what was read was written, in microseconds; since 15 nothing is written for it.
SELECT
    sum(xact_commit),
    sum(xact_rollback),
    sum(xact_rollback) FILTER (WHERE datname = pg_catalog.current_database()),
    (1000000 * extract(EPOCH FROM pg_catalog.statement_timestamp()))::bigint,
    coalesce(
        (1000000 * extract(EPOCH FROM pg_catalog.pg_stat_get_snapshot_timestamp()))::bigint,
        0
    )
FROM pg_catalog.pg_stat_database
