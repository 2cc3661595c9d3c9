-- Everything that was set; where files lie and what the server is called says nothing here. How long
-- statistics are kept for answers of the schema is what our own session sets when it reads sizes.
SELECT lower(i.variable_name), v.variable_value
FROM performance_schema.variables_info i
JOIN performance_schema.global_variables v ON v.variable_name = i.variable_name
WHERE i.variable_source NOT IN ('COMPILED')
    AND v.variable_value <> ''
    AND lower(i.variable_name) <> 'information_schema_stats_expiry'
    AND lower(i.variable_name) NOT REGEXP
        '(dir|file|socket|port|address|host|error|locale|names|time_zone|secret|password|_id)$'
ORDER BY 1
