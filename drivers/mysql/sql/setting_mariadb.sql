-- A setting, whether only a start of the server can change it, whether anything can, and its range.
SELECT
    lower(variable_name),
    coalesce(global_value, ''),
    read_only,
    CASE WHEN command_line_argument IS NULL THEN 'NO' ELSE 'YES' END,
    coalesce(numeric_min_value, ''),
    coalesce(numeric_max_value, ''),
    coalesce(enum_value_list, '')
FROM information_schema.system_variables
WHERE variable_name = NAME_OF_SETTING
    AND variable_scope <> 'SESSION ONLY'
