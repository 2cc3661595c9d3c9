SELECT t.tabname, c.colname, c.typename CONCAT '(' CONCAT VARCHAR(c.length) CONCAT ',' CONCAT VARCHAR(c.scale) CONCAT ')',
    VARCHAR(t.create_time)
FROM syscat.tables t JOIN syscat.columns c ON c.tabschema = t.tabschema AND c.tabname = t.tabname
WHERE t.tabschema = CURRENT SCHEMA AND t.type = 'T'
ORDER BY t.tabname, c.colno
