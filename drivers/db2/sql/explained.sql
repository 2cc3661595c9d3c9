-- The streams of the last plan that the user has asked for: what each flows into, and where it comes from, which is an
-- operator or a table or index.
SELECT s.target_id, s.source_id, COALESCE(o.operator_type, s.object_name)
FROM SYSTOOLS.explain_stream s
LEFT JOIN SYSTOOLS.explain_operator o
    ON o.explain_requester = s.explain_requester
    AND o.explain_time = s.explain_time
    AND o.operator_id = s.source_id
WHERE s.target_type = 'O'
    AND s.explain_requester = SESSION_USER
    AND s.explain_time = (
        SELECT MAX(explain_time)
        FROM SYSTOOLS.explain_instance
        WHERE explain_requester = SESSION_USER
    )
ORDER BY s.target_id, s.stream_id
