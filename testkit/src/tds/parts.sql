-- Columns and indexes of the tables, in place of a catalog's answer as XML.
SELECT m.name, 'column', c.name, c.type, CAST(c.cid AS TEXT)
FROM sqlite_master m, pragma_table_info(m.name) c
WHERE m.type = 'table'
UNION ALL
SELECT m.tbl_name, 'index', m.name, COALESCE(m.sql, ''), ''
FROM sqlite_master m
WHERE m.type = 'index'
