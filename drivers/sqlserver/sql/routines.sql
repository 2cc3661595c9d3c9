-- Procedures and functions of the session's schema, with their text.
SELECT o.name, o.object_id, m.[definition], CASE o.type WHEN 'P' THEN 'PROCEDURE' ELSE 'FUNCTION' END
FROM sys.objects o
JOIN sys.schemas s ON s.schema_id = o.schema_id
LEFT JOIN sys.sql_modules m ON m.object_id = o.object_id
WHERE s.name = SCHEMA_NAME() AND o.type IN ('P', 'FN', 'IF', 'TF')
ORDER BY o.name
