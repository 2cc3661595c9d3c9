-- name: times() -> (low int, high int, now int)
SELECT MIN(mtime), MAX(mtime), unixepoch() * 1000000 FROM pgbench_history
