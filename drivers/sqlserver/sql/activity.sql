-- Counters of the server, and of the session's database.
SELECT counter_name, cntr_value
FROM sys.dm_os_performance_counters
WHERE instance_name = DB_NAME() OR instance_name = ''
    OR (instance_name = '_Total' AND object_name LIKE '%:Locks%')
