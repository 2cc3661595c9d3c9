-- The options of tables, their columns, indexes, constraints, triggers, rules, policies, statistics and partitions,
-- each with its definition and its number. Triggers that belong to a foreign key stand in its definition, unless
-- somebody switched them off. Names are as they are stored.
WITH t AS (
    SELECT c.oid, c.relname, c.relkind, c.relpersistence, c.reloptions, c.relrowsecurity, c.reltablespace
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p')
        AND n.nspname = ANY (pg_catalog.current_schemas(false))
        AND pg_catalog.pg_table_is_visible(c.oid)
        AND c.relname = ANY (CAST('{TABLES}' AS pg_catalog.text[]))
)
SELECT
    t.relname::pg_catalog.text, 'table', '',
    pg_catalog.concat_ws(
        ' ', t.relkind, t.relpersistence, t.relrowsecurity, t.reltablespace, pg_catalog.array_to_string(t.reloptions, ' ')
    ),
    t.oid::pg_catalog.text
FROM t
UNION ALL
SELECT
    t.relname::pg_catalog.text, 'column', a.attname::pg_catalog.text,
    pg_catalog.concat_ws(
        ' ', pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attstorage, l.collname,
        pg_catalog.pg_get_expr(d.adbin, d.adrelid)
    ),
    a.attnum::pg_catalog.text
FROM t
JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
UNION ALL
SELECT
    t.relname::pg_catalog.text, 'index', c.relname::pg_catalog.text,
    pg_catalog.concat_ws(
        ' ', pg_catalog.pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisready, c.reltablespace
    ),
    i.indexrelid::pg_catalog.text
FROM t
JOIN pg_catalog.pg_index i ON i.indrelid = t.oid
JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
UNION ALL
SELECT
    t.relname::pg_catalog.text, 'constraint', k.conname::pg_catalog.text,
    pg_catalog.concat_ws(' ', k.conrelid::pg_catalog.regclass, pg_catalog.pg_get_constraintdef(k.oid)), k.oid::pg_catalog.text
FROM t
JOIN pg_catalog.pg_constraint k ON t.oid IN (k.conrelid, k.confrelid)
UNION ALL
SELECT
    t.relname::pg_catalog.text, 'trigger', g.tgname::pg_catalog.text,
    pg_catalog.concat_ws(' ', g.tgenabled, pg_catalog.pg_get_triggerdef(g.oid)), g.oid::pg_catalog.text
FROM t
JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.oid AND (NOT g.tgisinternal OR g.tgenabled <> 'O')
UNION ALL
SELECT
    t.relname::pg_catalog.text, 'rule', r.rulename::pg_catalog.text,
    pg_catalog.concat_ws(' ', r.ev_enabled, pg_catalog.pg_get_ruledef(r.oid)), r.oid::pg_catalog.text
FROM t
JOIN pg_catalog.pg_rewrite r ON r.ev_class = t.oid
UNION ALL
SELECT
    t.relname::pg_catalog.text, 'policy', p.polname::pg_catalog.text,
    pg_catalog.concat_ws(
        ' ', p.polcmd, p.polroles, pg_catalog.pg_get_expr(p.polqual, p.polrelid),
        pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid)
    ),
    p.oid::pg_catalog.text
FROM t
JOIN pg_catalog.pg_policy p ON p.polrelid = t.oid
UNION ALL
SELECT
    t.relname::pg_catalog.text, 'statistics', s.stxname::pg_catalog.text,
    pg_catalog.pg_get_statisticsobjdef(s.oid), s.oid::pg_catalog.text
FROM t
JOIN pg_catalog.pg_statistic_ext s ON s.stxrelid = t.oid
UNION ALL
SELECT
    t.relname::pg_catalog.text, 'partition', c.relname::pg_catalog.text,
    pg_catalog.concat_ws(' ', c.relpersistence, pg_catalog.pg_get_expr(c.relpartbound, c.oid)),
    c.oid::pg_catalog.text
FROM t
JOIN pg_catalog.pg_inherits h ON h.inhparent = t.oid
JOIN pg_catalog.pg_class c ON c.oid = h.inhrelid
