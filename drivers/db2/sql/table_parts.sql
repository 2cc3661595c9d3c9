-- Columns, indexes, constraints and triggers of the tables of the session's schema.
SELECT c.tabname, 'column', c.colname,
    c.typename CONCAT ' ' CONCAT VARCHAR(c.length) CONCAT ' ' CONCAT VARCHAR(c.scale) CONCAT ' ' CONCAT c.nulls,
    VARCHAR(c.colno)
FROM syscat.columns c
WHERE c.tabschema = CURRENT SCHEMA
UNION ALL
SELECT i.tabname, 'index', i.indname, i.indextype CONCAT ' ' CONCAT i.uniquerule CONCAT ' ' CONCAT i.colnames,
    VARCHAR(i.create_time)
FROM syscat.indexes i
WHERE i.tabschema = CURRENT SCHEMA
UNION ALL
SELECT k.tabname, 'constraint', k.constname, k.type CONCAT ' ' CONCAT k.enforced, ''
FROM syscat.tabconst k
WHERE k.tabschema = CURRENT SCHEMA
UNION ALL
SELECT g.tabname, 'trigger', g.trigname,
    g.trigtime CONCAT ' ' CONCAT g.trigevent CONCAT ' ' CONCAT g.valid, VARCHAR(g.create_time)
FROM syscat.triggers g
WHERE g.tabschema = CURRENT SCHEMA
