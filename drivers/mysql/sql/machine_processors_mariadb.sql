-- Processors of the machine: how many groups the pool of threads has if nobody sets it.
SELECT default_value
FROM information_schema.system_variables
WHERE variable_name = 'THREAD_POOL_SIZE'
    AND global_value_origin IN ('COMPILE-TIME', 'AUTO')
    AND default_value = global_value
