-- The count of commits and the conditions on the data.
--
-- Each check returns one row per violation: where it is, and both sides. LIMIT 1000 bounds the
-- answer, so a count of 1000 means "at least 1000". Both sides are stacked with UNION ALL and then
-- grouped, so that a partner row that is missing on either side is a violation too, and every table
-- is read once.

-- Grows by one with every commit of tpcb-like and simple-update; the load leaves it empty.
-- name: history_count() -> (history_rows int)
SELECT COUNT(*) FROM pgbench_history

-- What the commits move; read before and after a run. The count of the history is read with the headline
-- at the same price.
-- name: commits_total() -> (delta int, tbalance int, bbalance int)
SELECT COALESCE(SUM(delta), 0), (SELECT SUM(tbalance) FROM pgbench_tellers),
    (SELECT SUM(bbalance) FROM pgbench_branches)
FROM pgbench_history

-- Accounts that are still at zero are left out before the grouping: most are, and a side that is
-- missing counts as zero.
-- name: check_c1() -> (aid int, abalance int, sum_delta int)
SELECT aid, SUM(balance), SUM(moved)
FROM (
    SELECT aid, abalance AS balance, 0 AS moved FROM pgbench_accounts WHERE abalance <> 0
    UNION ALL
    SELECT aid, 0, SUM(delta) FROM pgbench_history GROUP BY aid
) sides
GROUP BY aid
HAVING SUM(balance) <> SUM(moved)
ORDER BY aid
LIMIT 1000

-- name: check_c2() -> (tid int, tbalance int, sum_delta int)
SELECT tid, SUM(balance), SUM(moved)
FROM (
    SELECT tid, tbalance AS balance, 0 AS moved FROM pgbench_tellers
    UNION ALL
    SELECT tid, 0, SUM(delta) FROM pgbench_history GROUP BY tid
) sides
GROUP BY tid
HAVING SUM(balance) <> SUM(moved)
ORDER BY tid
LIMIT 1000

-- name: check_c3() -> (bid int, bbalance int, sum_delta int)
SELECT bid, SUM(balance), SUM(moved)
FROM (
    SELECT bid, bbalance AS balance, 0 AS moved FROM pgbench_branches
    UNION ALL
    SELECT bid, 0, SUM(delta) FROM pgbench_history GROUP BY bid
) sides
GROUP BY bid
HAVING SUM(balance) <> SUM(moved)
ORDER BY bid
LIMIT 1000

-- name: check_c4() -> (sum_tbalance int, sum_bbalance int)
SELECT SUM(teller_side), SUM(branch_side)
FROM (
    SELECT tbalance AS teller_side, 0 AS branch_side FROM pgbench_tellers
    UNION ALL
    SELECT 0, bbalance FROM pgbench_branches
) sides
HAVING SUM(teller_side) <> SUM(branch_side)

-- Keys are unique, so the right number of rows between the right bounds are the right rows. The
-- factors are decimals because the product of two 32-bit numbers overflows above scale 21 474.
-- name: check_c5() -> (bid int, branches int, tellers int, accounts int, out_of_range int)
SELECT bid, SUM(branches), SUM(tellers), SUM(accounts), SUM(out_of_range)
FROM (
    SELECT bid, 1 AS branches, 0 AS tellers, 0 AS accounts, 0 AS out_of_range
    FROM pgbench_branches
    UNION ALL
    SELECT bid, 0, COUNT(*), 0,
        CASE WHEN MIN(tid) > 10.0 * (bid - 1) AND MAX(tid) <= 10.0 * bid THEN 0 ELSE 1 END
    FROM pgbench_tellers GROUP BY bid
    UNION ALL
    SELECT bid, 0, 0, COUNT(*),
        CASE WHEN MIN(aid) > 100000.0 * (bid - 1) AND MAX(aid) <= 100000.0 * bid THEN 0 ELSE 1 END
    FROM pgbench_accounts GROUP BY bid
) sides
GROUP BY bid
HAVING SUM(branches) <> 1 OR SUM(tellers) <> 10 OR SUM(accounts) <> 100000
    OR SUM(out_of_range) <> 0
ORDER BY bid
LIMIT 1000

-- name: check_c6() -> (tid int, bid int, aid int)
SELECT h.tid, h.bid, h.aid
FROM pgbench_history h
    LEFT JOIN pgbench_tellers t ON t.tid = h.tid
    LEFT JOIN pgbench_branches b ON b.bid = h.bid
    LEFT JOIN pgbench_accounts a ON a.aid = h.aid
WHERE t.tid IS NULL OR b.bid IS NULL OR a.aid IS NULL
ORDER BY h.tid, h.bid, h.aid
LIMIT 1000

-- What no transaction writes is as loaded; each row of the history has a change that the transactions draw, and the time
-- of a clock after the load.
-- name: check_c7(earliest time) -> (name text, rows_found int)
SELECT 'branches' AS name, COUNT(*) AS rows_found
FROM pgbench_branches WHERE filler IS NOT NULL
HAVING COUNT(*) > 0
UNION ALL
SELECT 'tellers' AS name, COUNT(*) AS rows_found
FROM pgbench_tellers WHERE filler IS NOT NULL
HAVING COUNT(*) > 0
UNION ALL
SELECT 'history' AS name, COUNT(*) AS rows_found
FROM pgbench_history
WHERE filler IS NOT NULL OR mtime < :earliest OR delta < -5000 OR delta > 5000
HAVING COUNT(*) > 0

-- A range of accounts that is compared with what the load made of them.
-- name: sample_accounts(first int, last int) -> (aid int, bid int, filler text)
SELECT aid, bid, filler
FROM pgbench_accounts
WHERE aid BETWEEN :first AND :last
ORDER BY aid
