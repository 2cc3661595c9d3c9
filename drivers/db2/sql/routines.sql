-- Routines of the session's schema that are written in SQL, with their text.
SELECT routinename, CASE routinetype WHEN 'P' THEN 'PROCEDURE' ELSE 'FUNCTION' END, VARCHAR(create_time), text
FROM syscat.routines
WHERE routineschema = CURRENT SCHEMA AND origin = 'Q'
ORDER BY routinename
