-- What T-SQL writes in its own way; same signatures as in the base file.

-- name: list_append(value text, k int)
UPDATE append_lists SET vals = vals + :value WHERE k = :k

-- name: last_used() -> (last_key int)
SELECT COALESCE(MAX(k), 0) FROM append_lists WHERE LEN(vals) > 0

-- name: check_lists() -> (k int)
SELECT k FROM append_lists WHERE LEN(vals) > 0 AND vals NOT LIKE '%,'
ORDER BY k
LIMIT 1000
