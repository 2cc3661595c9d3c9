-- One damage for each condition, and for partner rows that are missing. Each is applied alone.

-- name: account()
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = 100001

-- name: teller()
UPDATE pgbench_tellers SET tbalance = tbalance + 1 WHERE tid = 20

-- name: branch()
UPDATE pgbench_branches SET bbalance = bbalance - 1 WHERE bid = 2

-- name: other_teller()
UPDATE pgbench_history SET tid = CASE WHEN tid = 1 THEN 2 ELSE 1 END
WHERE rowid = (SELECT MIN(rowid) FROM pgbench_history WHERE delta <> 0)

-- name: other_branch()
UPDATE pgbench_history SET bid = 3 - bid
WHERE rowid = (SELECT MIN(rowid) FROM pgbench_history WHERE delta <> 0)

-- The sums stay, so that only the single rows are wrong.
-- name: swapped_accounts()
UPDATE pgbench_accounts SET abalance = abalance + CASE WHEN aid = 7 THEN 1 ELSE -1 END
WHERE aid IN (7, 100007)

-- name: lost_history()
DELETE FROM pgbench_history
WHERE rowid = (SELECT MIN(rowid) FROM pgbench_history WHERE delta <> 0)

-- name: no_branch()
DELETE FROM pgbench_branches WHERE bid = 2

-- name: no_teller()
DELETE FROM pgbench_tellers WHERE tid = 20

-- An account that no transaction has met: its balance is right, and its row is missed.
-- name: no_account()
DELETE FROM pgbench_accounts WHERE aid = (SELECT MIN(aid) FROM pgbench_accounts WHERE abalance = 0)

-- name: moved_account()
UPDATE pgbench_accounts SET bid = 1 WHERE aid = 100001

-- The number of accounts stays, and one lies outside the range of its branch.
-- name: renumbered_account()
UPDATE pgbench_accounts SET aid = 200001
WHERE aid = (SELECT MAX(aid) FROM pgbench_accounts WHERE bid = 1 AND abalance = 0)

-- name: foreign_history()
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (21, 1, 1, 0, 0)

-- name: history_of_nothing()
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (1, 1, NULL, 0, 0)
