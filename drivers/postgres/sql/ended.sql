-- Ended transactions of the whole server; the rollbacks of this database beside them.
SELECT
    sum(xact_commit),
    sum(xact_rollback),
    sum(xact_rollback) FILTER (WHERE datname = pg_catalog.current_database())
FROM pg_catalog.pg_stat_database
