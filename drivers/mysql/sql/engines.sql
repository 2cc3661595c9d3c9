-- The storage engines of the server: whether they can be used, and whether they keep transactions.
SELECT ENGINE, SUPPORT, TRANSACTIONS
FROM information_schema.ENGINES
ORDER BY ENGINE
