-- Tables that a statement finds without naming a schema, each with its columns, and the routines of the
-- schema in which things are created. What an extension brought is left out.
SELECT
    'table', pg_catalog.lower(c.relname), c.oid,
    (
        SELECT pg_catalog.string_agg(
            pg_catalog.lower(a.attname) || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod),
            E'\n' ORDER BY a.attnum
        )
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    ),
    pg_catalog.format('DROP TABLE %I.%I', n.nspname, c.relname)
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
    )
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = pg_catalog.current_schema()
    AND NOT EXISTS (
        SELECT 1
        FROM pg_catalog.pg_depend d
        WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    )
ORDER BY 1, 2, 3
