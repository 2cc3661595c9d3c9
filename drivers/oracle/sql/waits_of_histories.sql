-- What the sessions of the load did in the last samples of all instances, of which each has one a second. A sample without active
-- sessions is not kept, so that an old one says nothing. Needs the licence of the Diagnostics Pack.
SELECT
    CASE session_state WHEN 'WAITING' THEN wait_class END,
    CASE session_state WHEN 'WAITING' THEN event END,
    COUNT(*)
FROM gv$active_session_history history
WHERE program = 'tacho'
    AND sample_time > CAST(SYSTIMESTAMP AS TIMESTAMP) - INTERVAL '2' SECOND
    AND sample_id = (
        SELECT MAX(latest.sample_id)
        FROM gv$active_session_history latest
        WHERE latest.program = 'tacho' AND latest.inst_id = history.inst_id
    )
GROUP BY CASE session_state WHEN 'WAITING' THEN wait_class END,
    CASE session_state WHEN 'WAITING' THEN event END
