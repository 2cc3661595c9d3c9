-- A setting and its range. Whether only a start of the server can change it, it says when asked to.
SELECT
    lower(v.variable_name),
    v.variable_value,
    'UNKNOWN',
    'YES',
    CASE WHEN i.max_value = '0' THEN '' ELSE i.min_value END,
    CASE WHEN i.max_value = '0' THEN '' ELSE i.max_value END,
    ''
FROM performance_schema.global_variables v
JOIN performance_schema.variables_info i ON i.variable_name = v.variable_name
WHERE v.variable_name = NAME_OF_SETTING
