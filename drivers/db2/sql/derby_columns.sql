SELECT t.tablename, c.columnname, CHAR(c.columnnumber), t.tableid
FROM sys.systables t
    JOIN sys.sysschemas s ON s.schemaid = t.schemaid
    JOIN sys.syscolumns c ON c.referenceid = t.tableid
WHERE s.schemaname = CURRENT SCHEMA AND t.tabletype = 'T'
ORDER BY t.tablename, c.columnnumber
