-- Foreign keys with their texts.
SELECT lower(table_name), lower(constraint_text)
FROM duckdb_constraints()
WHERE constraint_type = 'FOREIGN KEY'
ORDER BY 1
