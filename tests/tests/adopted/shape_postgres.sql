-- Columns, keys, indexes and foreign keys of all tables, a line for each.
SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'tacho%'
UNION ALL
SELECT 'index ' || t.relname || ' '
    || CASE WHEN i.indisprimary THEN 'primary' WHEN i.indisunique THEN n.relname || ' unique' ELSE n.relname END
    || ' (' || (
        SELECT string_agg(pg_get_indexdef(i.indexrelid, place, true), ', ' ORDER BY place)
        FROM generate_series(1, i.indnkeyatts) AS all_places (place)
    ) || ')'
FROM pg_index i
JOIN pg_class n ON n.oid = i.indexrelid
JOIN pg_class t ON t.oid = i.indrelid
WHERE t.relnamespace = 'public'::regnamespace AND t.relname NOT LIKE 'tacho%'
UNION ALL
SELECT 'foreign key ' || conrelid::regclass || ' ' || conname || ' '
    || regexp_replace(
        regexp_replace(pg_get_constraintdef(oid), 'FOREIGN KEY (.*) REFERENCES (\w+)\(', '\1 references \2 ('),
        'ON DELETE CASCADE', 'on delete cascade')
FROM pg_constraint
WHERE connamespace = 'public'::regnamespace AND contype = 'f'
