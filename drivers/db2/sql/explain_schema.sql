-- The schema of the explain tables that an EXPLAIN of this user writes into: its own, or the one of the database.
SELECT RTRIM(tabschema)
FROM syscat.tables
WHERE tabname = 'EXPLAIN_STREAM' AND tabschema IN (SESSION_USER, 'SYSTOOLS')
ORDER BY CASE WHEN tabschema = 'SYSTOOLS' THEN 1 ELSE 0 END
FETCH FIRST 1 ROWS ONLY
