-- Tables that a statement finds without naming a schema. Partitions belong to their parent, and
-- what an extension brought is not the user's.
SELECT c.relname
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p')
    AND NOT c.relispartition
    AND n.nspname = ANY (pg_catalog.current_schemas(false))
    AND NOT EXISTS (
        SELECT 1
        FROM pg_catalog.pg_depend d
        WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
    )
ORDER BY c.relname
