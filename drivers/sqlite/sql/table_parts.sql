-- Tables as they were created, their columns, and their indexes and triggers as they were created.
SELECT lower(m.name), 'table', '', m.sql
FROM sqlite_master m
WHERE m.type = 'table'
UNION ALL
SELECT
    lower(m.name), 'column', lower(c.name),
    c.type || ' ' || c."notnull" || ' ' || c.pk || ' ' || c.hidden || ' ' || coalesce(c.dflt_value, '')
FROM sqlite_master m, pragma_table_xinfo(m.name) c
WHERE m.type = 'table'
UNION ALL
SELECT lower(m.tbl_name), m.type, lower(m.name), coalesce(m.sql, '')
FROM sqlite_master m
WHERE m.type IN ('index', 'trigger')
