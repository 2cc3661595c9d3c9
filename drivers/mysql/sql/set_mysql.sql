-- When a statement last set a global variable. A session that sets a variable for itself counts too, so variables that
-- a session has are left out.
SELECT LOWER(variable_name), set_time
FROM performance_schema.variables_info
WHERE set_time IS NOT NULL
    AND variable_source <> 'COMPILED'
    AND LOWER(variable_name) REGEXP
        '^(innodb_|sync_binlog$|binlog_(group|order|row_event)|log_bin|max_connections$|thread_|local_infile$)'
    AND LOWER(variable_name) NOT REGEXP
        '^innodb_(ddl_|ft_|interpreter|lock_wait_timeout|monitor_|parallel_read|strict_mode|table_locks|tmpdir)'
ORDER BY 1
