-- Room that the tables of our schemas take, with what is kept out of line; a table in parts is the sum of
-- them. Rows as the last vacuum or analyze counted them.
SELECT
    c.relname,
    coalesce(nullif(c.reltuples, -1)::bigint, 0),
    pg_catalog.pg_table_size(c.oid),
    pg_catalog.pg_indexes_size(c.oid)
FROM pg_catalog.pg_class c
WHERE c.relkind = 'r'
    AND c.relnamespace IN (
        SELECT oid
        FROM pg_catalog.pg_namespace
        WHERE nspname = ANY (pg_catalog.current_schemas(false))
    )
ORDER BY 1
