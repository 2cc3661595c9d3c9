-- What the sessions of the load do at this moment; those that wait for their client have no request.
SELECT COALESCE(r.wait_type, ''), COUNT(*)
FROM sys.dm_exec_requests r JOIN sys.dm_exec_sessions s ON s.session_id = r.session_id
WHERE s.program_name = 'tacho' AND r.session_id <> @@SPID
GROUP BY r.wait_type
