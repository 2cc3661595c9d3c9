-- Triggers of the session's database, each with its table, its text and the moment of its creation.
SELECT
    IF(@@lower_case_table_names = 0, event_object_table, LOWER(event_object_table)), 'trigger', trigger_name,
    CONCAT_WS(' ', action_timing, event_manipulation, action_order, action_statement), created
FROM information_schema.triggers
WHERE event_object_schema = DATABASE()
ORDER BY 1, 3
