-- What else needs the tables of these numbers, and whether we may remove them.
WITH ours AS (SELECT pg_catalog.unnest('{TABLES}'::oid[]) AS oid)
SELECT pg_catalog.format('view %s needs table %s', w.ev_class::regclass, d.refobjid::regclass)
FROM pg_catalog.pg_depend d
JOIN pg_catalog.pg_rewrite w ON w.oid = d.objid
WHERE d.classid = 'pg_catalog.pg_rewrite'::regclass
    AND d.refclassid = 'pg_catalog.pg_class'::regclass
    AND d.refobjid IN (SELECT o.oid FROM ours o)
    AND w.ev_class NOT IN (SELECT o.oid FROM ours o)
UNION
SELECT pg_catalog.format(
    'foreign key %I of table %s refers to table %s',
    k.conname, k.conrelid::regclass, k.confrelid::regclass
)
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
WHERE k.contype = 'f'
    AND k.confrelid IN (SELECT o.oid FROM ours o)
    AND k.conrelid NOT IN (SELECT o.oid FROM ours o)
    AND NOT c.relispartition
UNION
SELECT pg_catalog.format('table %s inherits from table %s', i.inhrelid::regclass, i.inhparent::regclass)
FROM pg_catalog.pg_inherits i
JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent IN (SELECT o.oid FROM ours o) AND NOT c.relispartition AND c.relkind IN ('r', 'p', 'f')
UNION
SELECT pg_catalog.format('table %s belongs to role %s', c.oid::regclass, c.relowner::regrole)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid IN (SELECT o.oid FROM ours o)
    AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE')
    AND NOT pg_catalog.pg_has_role(n.nspowner, 'USAGE')
ORDER BY 1
