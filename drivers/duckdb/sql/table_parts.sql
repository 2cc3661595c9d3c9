-- Columns, indexes and constraints of the tables of the session's schema. There are no triggers.
SELECT
    lower(c.table_name), 'column', lower(c.column_name),
    c.data_type || ' ' || c.is_nullable || ' ' || coalesce(c.column_default, '')
FROM duckdb_columns() c
WHERE NOT c.internal AND c.database_name = current_database() AND c.schema_name = current_schema()
UNION ALL
SELECT lower(i.table_name), 'index', lower(i.index_name), i.is_unique || ' ' || coalesce(i.sql, '')
FROM duckdb_indexes() i
WHERE i.database_name = current_database() AND i.schema_name = current_schema()
UNION ALL
SELECT lower(k.table_name), 'constraint', k.constraint_text, k.constraint_type
FROM duckdb_constraints() k
WHERE k.database_name = current_database() AND k.schema_name = current_schema()
