-- Tables of the session's schema.
SELECT lower(table_name)
FROM duckdb_tables()
WHERE NOT internal AND database_name = current_database() AND schema_name = current_schema()
ORDER BY 1
