-- All settings, with whether they are set; where files lie and what the server is called says nothing here.
-- A variable that any session has set for itself counts as set, its global value unchanged: this is why
-- the others are listed too, so that a comparison has their values. What our sessions set is left out: how
-- long statistics of the schema are kept, where they read sizes, and how long they wait for a lock.
SELECT
    lower(i.variable_name),
    v.variable_value,
    '',
    CASE WHEN i.variable_source = 'COMPILED' THEN 'unset' ELSE 'set' END
FROM performance_schema.variables_info i
JOIN performance_schema.global_variables v ON v.variable_name = i.variable_name
WHERE v.variable_value <> ''
    AND lower(i.variable_name) NOT IN ('information_schema_stats_expiry', 'lock_wait_timeout')
    AND lower(i.variable_name) NOT REGEXP
        '(dir|file|socket|port|address|host|error|locale|names|time_zone|secret|password|_id)$'
ORDER BY 1
