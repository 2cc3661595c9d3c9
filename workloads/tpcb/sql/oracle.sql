-- What Oracle writes in its own way; same signatures as in the base files. Not run against a live server.

-- A sum and the result of a query cannot stand side by side without a group.
-- name: commits_total() -> (delta int, tbalance int, bbalance int)
SELECT delta, tbalance, bbalance
FROM (SELECT COALESCE(SUM(delta), 0) AS delta FROM pgbench_history)
CROSS JOIN (SELECT SUM(tbalance) AS tbalance FROM pgbench_tellers)
CROSS JOIN (SELECT SUM(bbalance) AS bbalance FROM pgbench_branches)
