-- How many sessions the server takes, and how many there are.
SELECT @@MAX_CONNECTIONS, COUNT(*) FROM sys.dm_exec_sessions WHERE is_user_process = 1
