-- What our sessions are doing: those of this database under the same name as this one. A session
-- that is idle between transactions is left out; one that is idle within a transaction waits for
-- us, which the server calls ClientRead.
PREPARE tacho_waits AS
SELECT coalesce(wait_event_type, 'CPU'), coalesce(wait_event, ''), count(*)
FROM pg_catalog.pg_stat_activity
WHERE pid <> pg_catalog.pg_backend_pid()
    AND datname = pg_catalog.current_database()
    AND application_name = pg_catalog.current_setting('application_name')
    AND state <> 'idle'
GROUP BY 1, 2
