-- name: sums() -> (rows int, moved int, mixed int)
SELECT count(*), sum(abalance), sum(aid * abalance) FROM pgbench_accounts
