-- What the server knows of tables, for comparison with what was to be made.

-- name: described() -> (line text)
SELECT line
FROM (
    SELECT
        1 AS part,
        c.relname AS name,
        a.attnum::int AS place,
        c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END AS line
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'tacho%'
    UNION ALL
    SELECT 2, conname, 0, conname || ' ' || pg_get_constraintdef(oid)
    FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype = 'p'
    UNION ALL
    SELECT 3, indexname, 0, indexdef
    FROM pg_indexes
    WHERE schemaname = 'public' AND indexname NOT IN (SELECT conname FROM pg_constraint)
) AS all_lines
ORDER BY part, name COLLATE "C", place

-- name: kept() -> (line text)
SELECT
    c.relname || ' ' || c.relkind::text || c.relpersistence::text || ' '
    || coalesce(array_to_string(c.reloptions, ','), '') || ' '
    || coalesce(t.spcname, '')
FROM pg_class c
LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname NOT LIKE 'tacho%'
ORDER BY c.relname COLLATE "C"

-- name: misplaced() -> (found int)
SELECT count(*)
FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace
    AND c.relkind = 'i'
    AND c.reltablespace = 0
    AND c.relname NOT LIKE 'tacho%'
