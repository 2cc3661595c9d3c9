-- The user's procedures and functions, a row for each line of their text.
SELECT s.name, o.object_id, s.type, s.text
FROM user_source s
JOIN user_objects o ON o.object_name = s.name AND o.object_type = s.type
WHERE s.type IN ('PROCEDURE', 'FUNCTION')
ORDER BY s.name, s.line
