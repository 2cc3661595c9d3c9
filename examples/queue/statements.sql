-- Without SKIP LOCKED each worker would wait for the first one.
-- name: next_job() -> (j_id int, j_kind text, j_payload text)
SELECT j_id, j_kind, j_payload FROM job
WHERE j_state = 'ready'
ORDER BY j_id
LIMIT 1 FOR UPDATE SKIP LOCKED

-- name: finish_job(number int)
UPDATE job SET j_state = 'done', j_tries = j_tries + 1 WHERE j_id = :number AND j_state = 'ready'

-- name: return_job(number int)
UPDATE job SET j_tries = j_tries + 1 WHERE j_id = :number

-- name: add_job(number int, kind text, payload text)
INSERT INTO job (j_id, j_state, j_tries, j_kind, j_payload)
VALUES (:number, 'ready', 0, :kind, :payload)

-- name: last_job() -> (j_id int)
SELECT MAX(j_id) FROM job

-- name: check_done() -> (number int)
SELECT j_id FROM job WHERE j_state = 'done' AND j_tries < 1

-- name: check_states() -> (number int, state text)
SELECT j_id, j_state FROM job WHERE j_state NOT IN ('ready', 'done')
