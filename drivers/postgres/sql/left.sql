-- How much of the user's is left in the database, in all its schemas: tables and their like, routines, large
-- objects. What an extension brought is not the user's.
SELECT (
    SELECT count(*)
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname <> 'information_schema'
        AND n.nspname NOT LIKE 'pg\_%'
        AND NOT EXISTS (
            SELECT 1 FROM pg_catalog.pg_depend d
            WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
        )
) + (
    SELECT count(*)
    FROM pg_catalog.pg_proc p
    JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname <> 'information_schema'
        AND n.nspname NOT LIKE 'pg\_%'
        AND NOT EXISTS (
            SELECT 1 FROM pg_catalog.pg_depend d
            WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
        )
) + (SELECT count(*) FROM pg_catalog.pg_largeobject_metadata)
