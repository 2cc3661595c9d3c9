-- The statements in the common subset of SQL. Each key has one row, whose column vals contains the values appended so
-- far, each followed by a comma.

-- name: list_read(k int) -> (vals text)
SELECT vals FROM append_lists WHERE k = :k

-- name: list_append(value text, k int)
UPDATE append_lists SET vals = vals || :value WHERE k = :k

-- name: list_write(vals text, k int)
UPDATE append_lists SET vals = :vals WHERE k = :k

-- The last key that a run has used. An empty string may be stored as NULL.
-- name: last_used() -> (last_key int)
SELECT COALESCE(MAX(k), 0) FROM append_lists WHERE LENGTH(vals) > 0

-- name: lists_between(first int, last int) -> (k int, vals text)
SELECT k, vals FROM append_lists WHERE k BETWEEN :first AND :last ORDER BY k

-- name: check_keys(keys int) -> (found_keys int, last_key int)
SELECT found_keys, last_key
FROM (SELECT COUNT(*) AS found_keys, MAX(k) AS last_key FROM append_lists) counted
WHERE found_keys <> :keys OR last_key <> :keys

-- name: check_lists() -> (k int)
SELECT k FROM append_lists WHERE LENGTH(vals) > 0 AND vals NOT LIKE '%,'
ORDER BY k
LIMIT 1000
