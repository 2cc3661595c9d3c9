-- Whether the server has memory-optimized tables, whether the database has a place for them, whether a transaction at
-- the usual level of isolation may use them, the schema of the session, and whether natively compiled procedures know
-- CASE, as they do from 2017 (14) on. The services in the cloud (5, 8) have a version of their own; the first one has a
-- place in each database.
SELECT CAST(SERVERPROPERTY('IsXTPSupported') AS INT),
    CASE SERVERPROPERTY('EngineEdition')
        WHEN 5 THEN 1
        ELSE (SELECT COUNT(*) FROM sys.filegroups WHERE type = 'FX')
    END,
    CAST(is_memory_optimized_elevate_to_snapshot_on AS INT),
    CASE SCHEMA_NAME() WHEN 'dbo' THEN 1 ELSE 0 END,
    CASE
        WHEN CAST(SERVERPROPERTY('EngineEdition') AS INT) IN (5, 8) THEN 1
        WHEN CAST(SERVERPROPERTY('ProductMajorVersion') AS INT) >= 14 THEN 1
        ELSE 0
    END
FROM sys.databases
WHERE name = DB_NAME()
