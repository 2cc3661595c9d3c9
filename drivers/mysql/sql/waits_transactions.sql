-- What our sessions are doing: those of this user in this database. The state of a process does not
-- tell a wait for a row lock from work, but that of its transaction does. A session that is idle
-- between transactions is left out; one that is idle within a transaction waits for us. The server
-- renews innodb_trx only if it was not read for 0.1 s, so reads must not be closer together.
SELECT
    CASE
        WHEN t.trx_state = 'LOCK WAIT' THEN 'lock'
        WHEN p.command = 'Sleep' THEN 'client'
        WHEN p.state IN ('', 'executing', 'Executing') THEN 'CPU'
        ELSE 'state'
    END,
    CASE
        WHEN t.trx_state = 'LOCK WAIT' THEN 'row'
        WHEN p.command = 'Sleep' THEN 'idle in transaction'
        WHEN p.state IN ('', 'executing', 'Executing') THEN ''
        ELSE p.state
    END,
    count(*)
FROM information_schema.processlist p
LEFT JOIN information_schema.innodb_trx t ON t.trx_mysql_thread_id = p.id
WHERE p.id <> connection_id()
    AND p.db = DATABASE()
    AND p.user = substring_index(current_user(), '@', 1)
    AND (p.command <> 'Sleep' OR t.trx_id IS NOT NULL)
GROUP BY 1, 2
