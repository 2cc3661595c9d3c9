-- DuckDB locks no rows: of two workers that finish the same job, one has a conflict, which is tried again.
-- name: next_job() -> (j_id int, j_kind text, j_payload text)
SELECT j_id, j_kind, j_payload FROM job
WHERE j_state = 'ready'
ORDER BY j_id
LIMIT 1
