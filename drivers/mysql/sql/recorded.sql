-- Whether waits are recorded as they happen, which no server does by default.
SELECT count(*)
FROM performance_schema.setup_consumers
WHERE name = 'events_waits_current' AND enabled = 'YES'
