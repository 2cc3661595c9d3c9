-- The server process of this session, as clients see it. Servers that only speak the protocol have none.
SELECT pid
FROM pg_catalog.pg_stat_activity
WHERE pid = pg_catalog.pg_backend_pid()
