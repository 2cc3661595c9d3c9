-- The global variables that a statement has set since the server started, also to the value that they had.
SELECT LOWER(variable_name), global_value_origin
FROM information_schema.system_variables
WHERE global_value_origin = 'SQL'
ORDER BY 1
