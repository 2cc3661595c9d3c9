-- Tables of the session's database by storage engines that keep no transactions, and how many each has.
SELECT CONCAT('tables of ', t.engine), COUNT(*)
FROM information_schema.tables t
LEFT JOIN information_schema.engines e ON e.engine = t.engine
WHERE t.table_schema = DATABASE()
    AND t.table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')
    AND t.engine IS NOT NULL
    AND COALESCE(e.transactions, 'NO') <> 'YES'
GROUP BY t.engine
ORDER BY 1
