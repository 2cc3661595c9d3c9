-- Transactions that have begun in the databases of users. The counter does not tell commits from rollbacks.
SELECT SUM(cntr_value)
FROM sys.dm_os_performance_counters
WHERE counter_name = 'Transactions/sec'
    AND instance_name NOT IN ('_Total', 'master', 'model', 'msdb', 'mssqlsystemresource', 'tempdb')
