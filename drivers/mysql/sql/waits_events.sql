-- What our sessions are doing: those of this user in this database, by the instruments of the
-- performance schema. An event that has ended is a wait no more, and the session works.
SELECT
    if(w.event_name IS NULL, 'CPU', substring_index(substring_index(w.event_name, '/', 3), '/', -2)),
    if(w.event_name IS NULL, '', substring(w.event_name, length(substring_index(w.event_name, '/', 3)) + 2)),
    count(*)
FROM performance_schema.threads t
LEFT JOIN performance_schema.events_waits_current w
    ON w.thread_id = t.thread_id AND w.end_event_id IS NULL AND w.event_name <> 'idle'
WHERE t.processlist_id <> connection_id()
    AND t.processlist_db = DATABASE()
    AND t.processlist_user = substring_index(current_user(), '@', 1)
    AND t.processlist_command <> 'Sleep'
GROUP BY 1, 2
