-- Views with their texts.
SELECT view_name, lower(sql) FROM duckdb_views() WHERE NOT internal ORDER BY 1
