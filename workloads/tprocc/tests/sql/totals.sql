-- What the transactions of a run must have left behind, beyond the twelve conditions.

-- name: stock() -> (ytd int, orders int, remote int)
SELECT SUM(s_ytd), SUM(s_order_cnt), SUM(s_remote_cnt) FROM stock

-- The lines that were not loaded.
-- name: lines() -> (quantity int, line_count int, remote int)
SELECT COALESCE(SUM(ol_quantity), 0), COUNT(*),
    COALESCE(SUM(CASE WHEN ol_supply_w_id <> ol_w_id THEN 1 ELSE 0 END), 0)
FROM order_line
WHERE ol_o_id > 3000

-- name: customers() -> (payments int, deliveries int)
SELECT SUM(c_payment_cnt) - COUNT(*), SUM(c_delivery_cnt) FROM customer

-- name: bounds() -> (low int, high int)
SELECT MIN(s_quantity), MAX(s_quantity) FROM stock

-- name: remote_orders() -> (marked int, found int)
SELECT
    (SELECT COUNT(*) FROM orders WHERE o_all_local = 0),
    (SELECT COUNT(*) FROM (
        SELECT ol_w_id FROM order_line WHERE ol_supply_w_id <> ol_w_id
        GROUP BY ol_w_id, ol_d_id, ol_o_id
    ) remote)

-- name: notes() -> (noted int)
SELECT COUNT(*) FROM customer WHERE c_credit = 'BC' AND c_data LIKE '% | %'
