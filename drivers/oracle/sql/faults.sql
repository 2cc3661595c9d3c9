-- The first fault of the routine that was made last and does not compile.
SELECT name, 'line ' || line || ':', text
FROM (
    SELECT e.name, e.line, e.text, e.sequence, o.last_ddl_time
    FROM user_errors e JOIN user_objects o ON o.object_name = e.name AND o.object_type = e.type
    WHERE e.attribute = 'ERROR'
    ORDER BY o.last_ddl_time DESC, e.sequence
)
WHERE ROWNUM = 1
