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

-- name: history_count() -> (commits int)
SELECT COUNT(*) FROM pgbench_history

-- name: check_accounts() -> (aid int)
SELECT a.aid FROM pgbench_accounts a
LEFT JOIN (SELECT aid, SUM(delta) AS moved FROM pgbench_history GROUP BY aid) h ON h.aid = a.aid
WHERE a.abalance <> COALESCE(h.moved, 0)
