-- The storage engines of the server that can keep rows: whether they can be used, and whether they keep
-- transactions. Tables of MariaDB's SEQUENCE are generated numbers without storage.
SELECT ENGINE, SUPPORT, TRANSACTIONS
FROM information_schema.ENGINES
WHERE ENGINE <> 'SEQUENCE'
ORDER BY ENGINE
