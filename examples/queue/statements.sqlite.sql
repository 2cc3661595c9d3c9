-- SQLite locks the whole database for one writer: there is nothing to pass.
-- name: next_job() -> (j_id int, j_kind text, j_payload text)
SELECT j_id, j_kind, j_payload FROM job
WHERE j_state = 'ready'
ORDER BY j_id
LIMIT 1
