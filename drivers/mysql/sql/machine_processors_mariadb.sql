-- Processors of the machine: the default number of groups of the thread pool.
SELECT default_value
FROM information_schema.system_variables
WHERE variable_name = 'THREAD_POOL_SIZE'
    AND global_value_origin IN ('COMPILE-TIME', 'AUTO')
    AND default_value = global_value
