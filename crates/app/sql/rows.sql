-- How many rows a table has; @table@ is a name of the workload's own.
-- name: rows() -> (rows int)
SELECT COUNT(*) FROM @table@
