-- MySQL counts its deadlocks among its metrics and not in its status.
SELECT count FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'
