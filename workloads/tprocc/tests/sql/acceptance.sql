-- What HammerDB's routines must have left behind of the orders of a run.

-- name: run_orders() -> (found int, not_local int)
SELECT COUNT(*), COALESCE(SUM(1 - o_all_local), 0) FROM orders WHERE o_id > 3000

-- name: run_lines() -> (found int, remote int, without_amount int)
SELECT COUNT(*), COALESCE(SUM(CASE WHEN ol_supply_w_id = ol_w_id THEN 0 ELSE 1 END), 0),
    COALESCE(SUM(CASE WHEN ol_amount IS NULL THEN 1 ELSE 0 END), 0)
FROM order_line
WHERE ol_o_id > 3000

-- Only the last line of an order may lack its amount, and then it lacks the text of the stock too.
-- name: odd_lines() -> (odd int)
SELECT COUNT(*)
FROM order_line JOIN orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
WHERE ol_o_id > 3000
    AND ((ol_amount IS NULL) <> (ol_number = o_ol_cnt AND ol_dist_info IS NULL)
        AND (ol_amount IS NULL OR ol_dist_info IS NULL))
