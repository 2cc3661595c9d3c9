-- What our sessions are doing: those of this user in this database. A session that is idle between
-- transactions is left out.
SELECT if(state IN ('', 'executing', 'Executing'), 'CPU', 'state'),
    if(state IN ('', 'executing', 'Executing'), '', state),
    count(*)
FROM information_schema.processlist
WHERE id <> connection_id()
    AND db = DATABASE()
    AND user = substring_index(current_user(), '@', 1)
    AND command <> 'Sleep'
GROUP BY 1, 2
