-- Everything that was set; where files lie and what the server is called says nothing here. What a session
-- of ours sets for itself counts as set as well: how long statistics of the schema are kept, where it reads
-- sizes, and how long it waits for a lock of a table.
SELECT lower(i.variable_name), v.variable_value
FROM performance_schema.variables_info i
JOIN performance_schema.global_variables v ON v.variable_name = i.variable_name
WHERE i.variable_source NOT IN ('COMPILED')
    AND v.variable_value <> ''
    AND lower(i.variable_name) NOT IN ('information_schema_stats_expiry', 'lock_wait_timeout')
    AND lower(i.variable_name) NOT REGEXP
        '(dir|file|socket|port|address|host|error|locale|names|time_zone|secret|password|_id)$'
ORDER BY 1
