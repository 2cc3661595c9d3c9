-- The same on Babelfish, where the database below it counts.
SELECT CAST(SUM(xact_commit) AS BIGINT), CAST(SUM(xact_rollback) AS BIGINT) FROM pg_catalog.pg_stat_database
