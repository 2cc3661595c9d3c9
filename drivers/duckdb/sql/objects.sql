-- Tables with their columns.
SELECT
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
WHERE NOT t.internal
ORDER BY 1
