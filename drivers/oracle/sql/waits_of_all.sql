-- What the sessions of the load do at this moment, on all instances. Those that wait for their client have no call.
SELECT
    CASE state WHEN 'WAITING' THEN wait_class END,
    CASE state WHEN 'WAITING' THEN event END,
    COUNT(*)
FROM gv$session
WHERE program = 'tacho' AND status = 'ACTIVE'
    AND (sid <> SYS_CONTEXT('USERENV', 'SID') OR inst_id <> SYS_CONTEXT('USERENV', 'INSTANCE'))
GROUP BY CASE state WHEN 'WAITING' THEN wait_class END, CASE state WHEN 'WAITING' THEN event END
