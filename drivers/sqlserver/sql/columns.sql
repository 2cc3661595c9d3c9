-- Tables of the session's schema, a row for each column. No two objects ever have the same number.
SELECT t.name, t.object_id, c.COLUMN_NAME, c.DATA_TYPE
FROM sys.tables t
JOIN sys.schemas s ON s.schema_id = t.schema_id
JOIN INFORMATION_SCHEMA.COLUMNS c ON c.TABLE_SCHEMA = s.name AND c.TABLE_NAME = t.name
WHERE s.name = SCHEMA_NAME()
ORDER BY t.name, c.ORDINAL_POSITION
