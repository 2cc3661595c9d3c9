-- Ended transactions of the whole server, and the rollbacks of this database. Then when this
-- was asked, and when what was read was written, in microseconds; since 15 nothing is written for it. Last,
-- the most rollbacks that autovacuum has yet to report: each of its workers here, which alone have no
-- user, may have given way to a lock on each table, and reports it when it ends. The build's own VACUUM
-- and CREATE INDEX make it give way.
SELECT
    sum(xact_commit),
    sum(xact_rollback),
    sum(xact_rollback) FILTER (WHERE datname = pg_catalog.current_database()),
    (1000000 * extract(EPOCH FROM pg_catalog.statement_timestamp()))::bigint,
    coalesce(
        (1000000 * extract(EPOCH FROM pg_catalog.pg_stat_get_snapshot_timestamp()))::bigint,
        0
    ),
    (SELECT count(*) FROM pg_catalog.pg_stat_activity
    WHERE datname = pg_catalog.current_database() AND usesysid IS NULL)
        * (SELECT count(*) FROM pg_catalog.pg_stat_user_tables)
FROM pg_catalog.pg_stat_database
