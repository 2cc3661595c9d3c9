-- What MySQL counts among its metrics and not in its status.
SELECT name, count
FROM information_schema.innodb_metrics
WHERE name IN ('lock_deadlocks', 'trx_rseg_history_len')
