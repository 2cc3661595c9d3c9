-- The statements of pgbench's three built-in scripts in the common subset of SQL. A dialect's own
-- file replaces only the sections that must differ, with the same signatures.

-- name: account_update(aid int, delta int)
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid

-- name: account_balance(aid int) -> (abalance int)
SELECT abalance FROM pgbench_accounts WHERE aid = :aid

-- name: teller_update(tid int, delta int)
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid

-- name: branch_update(bid int, delta int)
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid

-- name: history_insert(tid int, bid int, aid int, delta int)
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime)
VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP)
