-- Tables with their columns; then views and indexes, whose names a table cannot have.
SELECT
    'table',
    lower(t.table_name),
    (
        SELECT string_agg(
            lower(c.column_name) || ' ' || c.data_type || ' ' || c.is_nullable, chr(10)
            ORDER BY c.column_index
        )
        FROM duckdb_columns() c
        WHERE c.table_oid = t.table_oid AND c.database_oid = t.database_oid
    ),
    'DROP TABLE "' || replace(t.schema_name, '"', '""') || '"."'
        || replace(t.table_name, '"', '""') || '"'
FROM duckdb_tables() t
WHERE NOT t.internal AND t.database_name = current_database() AND t.schema_name = current_schema()
UNION ALL
SELECT 'other', lower(v.view_name), 'view', ''
FROM duckdb_views() v
WHERE NOT v.internal AND v.database_name = current_database() AND v.schema_name = current_schema()
UNION ALL
SELECT 'other', lower(i.index_name), 'index', ''
FROM duckdb_indexes() i
WHERE i.database_name = current_database() AND i.schema_name = current_schema()
ORDER BY 1 DESC, 2
