-- The sizes of the tables in the session's schema; a page has 8 KiB.
SELECT t.name,
    SUM(CASE WHEN p.index_id < 2 THEN p.row_count ELSE 0 END),
    SUM(CASE WHEN p.index_id < 2 THEN p.used_page_count ELSE 0 END) * 8192,
    SUM(CASE WHEN p.index_id < 2 THEN 0 ELSE p.used_page_count END) * 8192
FROM sys.tables t
JOIN sys.schemas s ON s.schema_id = t.schema_id
JOIN sys.dm_db_partition_stats p ON p.object_id = t.object_id
WHERE s.name = SCHEMA_NAME()
GROUP BY t.name
