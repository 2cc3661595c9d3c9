-- Whether the server has memory-optimized tables, whether the database has a place for them, and whether a transaction
-- at the usual level of isolation may use them. The service in the cloud (5) has a place in each database.
SELECT CAST(SERVERPROPERTY('IsXTPSupported') AS INT),
    CASE SERVERPROPERTY('EngineEdition')
        WHEN 5 THEN 1
        ELSE (SELECT COUNT(*) FROM sys.filegroups WHERE type = 'FX')
    END,
    CAST(is_memory_optimized_elevate_to_snapshot_on AS INT)
FROM sys.databases
WHERE name = DB_NAME()
