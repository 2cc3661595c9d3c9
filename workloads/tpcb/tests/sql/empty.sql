-- What leaves the tables without the rows that a transaction needs.

-- name: accounts()
DELETE FROM pgbench_accounts

-- name: tellers()
DELETE FROM pgbench_tellers

-- name: branches()
DELETE FROM pgbench_branches
