-- Every setting that was changed, except for the locations of files and the name of the server.
SELECT lower(variable_name), global_value, default_value
FROM information_schema.system_variables
WHERE global_value_origin NOT IN ('COMPILE-TIME', 'AUTO')
    AND global_value <> coalesce(default_value, '')
    AND global_value <> ''
    AND lower(variable_name) NOT REGEXP
        '(dir|file|socket|port|address|host|error|locale|names|time_zone|secret|password|_id)$'
ORDER BY 1
