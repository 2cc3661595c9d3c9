-- What MySQL and MariaDB write in their own way; same signatures as in the base file.

-- The operator || is a logical OR.
-- name: list_append(value text, k int)
UPDATE append_lists SET vals = CONCAT(vals, :value) WHERE k = :k
