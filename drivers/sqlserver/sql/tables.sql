-- Tables of the session's schema.
SELECT t.name
FROM sys.tables t JOIN sys.schemas s ON s.schema_id = t.schema_id
WHERE s.name = SCHEMA_NAME()
ORDER BY t.name
