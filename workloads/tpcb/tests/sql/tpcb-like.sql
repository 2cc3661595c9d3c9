-- session 0
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + 4325 WHERE aid = 184207;
SELECT abalance FROM pgbench_accounts WHERE aid = 184207;
UPDATE pgbench_tellers SET tbalance = tbalance + 4325 WHERE tid = 2;
UPDATE pgbench_branches SET bbalance = bbalance + 4325 WHERE bid = 2;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime)
VALUES (2, 2, 184207, 4325, CURRENT_TIMESTAMP);
COMMIT;

