-- Locked rows are passed by READPAST.
-- name: next_job() -> (j_id int, j_kind text, j_payload text)
SELECT j_id, j_kind, j_payload FROM job WITH (UPDLOCK, READPAST, ROWLOCK)
WHERE j_state = 'ready'
ORDER BY j_id
LIMIT 1
