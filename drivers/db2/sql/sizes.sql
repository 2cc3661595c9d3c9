-- The sizes of the tables in the session's schema, as the statistics say; there are none before RUNSTATS.
SELECT t.tabname, t.card, t.npages * s.pagesize,
    (SELECT SUM(i.nleaf) FROM syscat.indexes i WHERE i.tabschema = t.tabschema AND i.tabname = t.tabname) * s.pagesize
FROM syscat.tables t JOIN syscat.tablespaces s ON s.tbspaceid = t.tbspaceid
WHERE t.tabschema = CURRENT SCHEMA AND t.type = 'T' AND t.card >= 0
ORDER BY t.tabname
