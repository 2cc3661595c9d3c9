-- Tables that a statement finds without naming a schema, each with its columns, the routines of the
-- schema in which things are created, and what else a table cannot have the name of. Tables and routines that an
-- extension brought are left out. Names are as they are stored: one in other case is another one.
SELECT
    'table', c.relname::pg_catalog.text, c.oid,
    (
        SELECT pg_catalog.string_agg(
            a.attname || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod),
            E'\n' ORDER BY a.attnum
        )
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    ),
    pg_catalog.format('DROP TABLE %I.%I', n.nspname, c.relname), n.nspname::pg_catalog.text
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p')
    AND NOT c.relispartition
    AND n.nspname = ANY (pg_catalog.current_schemas(false))
    AND pg_catalog.pg_table_is_visible(c.oid)
    AND NOT EXISTS (
        SELECT 1
        FROM pg_catalog.pg_depend d
        WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
    )
UNION ALL
SELECT
    'routine', p.proname, p.oid, pg_catalog.md5(p.prosrc),
    pg_catalog.format(
        'DROP ROUTINE %I.%I(%s)', n.nspname, p.proname,
        pg_catalog.pg_get_function_identity_arguments(p.oid)
    ),
    n.nspname
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = pg_catalog.current_schema()
    AND NOT EXISTS (
        SELECT 1
        FROM pg_catalog.pg_depend d
        WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    )
UNION ALL
SELECT
    'other', c.relname, c.oid,
    CASE c.relkind
        WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence'
        WHEN 'f' THEN 'foreign table' WHEN 'c' THEN 'type' WHEN 'i' THEN 'index' WHEN 'I' THEN 'index' ELSE 'table'
    END,
    NULL, n.nspname
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ANY (pg_catalog.current_schemas(false))
    AND pg_catalog.pg_table_is_visible(c.oid)
    AND (
        c.relkind NOT IN ('r', 'p')
        OR c.relispartition
        OR EXISTS (
            SELECT 1
            FROM pg_catalog.pg_depend d
            WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
        )
    )
UNION ALL
SELECT 'other', t.typname, t.oid, 'type', NULL, n.nspname
FROM pg_catalog.pg_type t
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
WHERE n.nspname = pg_catalog.current_schema() AND t.typrelid = 0 AND t.typelem = 0
ORDER BY 1, 2, 3
