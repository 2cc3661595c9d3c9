-- The shortest question that every database answers.

-- name: nothing() -> (one int)
SELECT 1
