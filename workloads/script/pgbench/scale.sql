-- name: scale() -> (branches int)
SELECT COUNT(*) FROM pgbench_branches
