-- The twelve consistency conditions of TPC-C clause 3.3.2 and the count of new orders.
--
-- Each check returns one row per violation: where it is, and both sides. LIMIT 1000 bounds the
-- answer, so a count of 1000 means "at least 1000". Both sides are stacked with UNION ALL and then
-- grouped, so that a partner row that is missing on either side is a violation too, empty sums
-- count as 0, and every table is read once, in the order of its key. Money is compared with a
-- tolerance of half a cent, for databases that keep it as a floating-point number.

-- Grows by one with every new order that commits; 3001 is the first number after the load.
-- name: new_orders_total() -> (new_orders int)
SELECT SUM(d_next_o_id) - 3001 * COUNT(*) FROM district

-- Clause 3.3.2.1: w_ytd = sum(d_ytd).
-- name: check_c1() -> (w int, w_ytd decimal(2), sum_d_ytd decimal(2))
SELECT w, SUM(w_side), SUM(d_side)
FROM (
    SELECT w_id AS w, w_ytd AS w_side, 0 AS d_side FROM warehouse
    UNION ALL
    SELECT d_w_id, 0, SUM(d_ytd) FROM district GROUP BY d_w_id
) sides
GROUP BY w
HAVING COUNT(*) <> 2 OR ABS(SUM(w_side) - SUM(d_side)) > 0.005
LIMIT 1000

-- Clause 3.3.2.2: d_next_o_id - 1 = max(o_id) = max(no_o_id). A district whose new orders are all
-- delivered has no max(no_o_id); condition 5 then says that its last order is delivered.
-- name: check_c2() -> (w int, d int, d_next_o_id int, max_o_id int, max_no_o_id int)
SELECT w, d, SUM(next_side), SUM(order_side), SUM(open_side)
FROM (
    SELECT d_w_id AS w, d_id AS d, d_next_o_id AS next_side, 0 AS order_side, 0 AS open_side
    FROM district
    UNION ALL
    SELECT o_w_id, o_d_id, 0, MAX(o_id), 0 FROM orders GROUP BY o_w_id, o_d_id
    UNION ALL
    SELECT no_w_id, no_d_id, 0, 0, MAX(no_o_id) FROM new_order GROUP BY no_w_id, no_d_id
) sides
GROUP BY w, d
HAVING SUM(next_side) - 1 <> SUM(order_side)
    OR (SUM(open_side) > 0 AND SUM(open_side) <> SUM(next_side) - 1)
LIMIT 1000

-- Clause 3.3.2.3: max(no_o_id) - min(no_o_id) + 1 = number of new_order rows of the district.
-- name: check_c3() -> (w int, d int, min_no_o_id int, max_no_o_id int, found int)
SELECT no_w_id, no_d_id, MIN(no_o_id), MAX(no_o_id), COUNT(*)
FROM new_order
GROUP BY no_w_id, no_d_id
HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)
LIMIT 1000

-- Clause 3.3.2.4: sum(o_ol_cnt) = number of order_line rows of the district.
-- name: check_c4() -> (w int, d int, sum_o_ol_cnt int, found int)
SELECT w, d, SUM(promised), SUM(found)
FROM (
    SELECT o_w_id AS w, o_d_id AS d, SUM(o_ol_cnt) AS promised, 0 AS found
    FROM orders GROUP BY o_w_id, o_d_id
    UNION ALL
    SELECT ol_w_id, ol_d_id, 0, COUNT(*) FROM order_line GROUP BY ol_w_id, ol_d_id
) sides
GROUP BY w, d
HAVING SUM(promised) <> SUM(found)
LIMIT 1000

-- Clause 3.3.2.5: o_carrier_id is null if and only if the order has a row in new_order.
-- name: check_c5() -> (w int, d int, o int, orders_rows int, with_carrier int, new_order_rows int)
SELECT w, d, o, SUM(known), SUM(carried), SUM(waiting)
FROM (
    SELECT o_w_id AS w, o_d_id AS d, o_id AS o, 1 AS known,
        CASE WHEN o_carrier_id IS NULL THEN 0 ELSE 1 END AS carried, 0 AS waiting
    FROM orders
    UNION ALL
    SELECT no_w_id, no_d_id, no_o_id, 0, 0, 1 FROM new_order
) sides
GROUP BY w, d, o
HAVING SUM(known) <> 1 OR SUM(carried) + SUM(waiting) <> 1
LIMIT 1000

-- Clause 3.3.2.6: o_ol_cnt = number of order_line rows of the order.
-- name: check_c6() -> (w int, d int, o int, o_ol_cnt int, found int)
SELECT w, d, o, SUM(promised), SUM(found)
FROM (
    SELECT o_w_id AS w, o_d_id AS d, o_id AS o, o_ol_cnt AS promised, 0 AS found FROM orders
    UNION ALL
    SELECT ol_w_id, ol_d_id, ol_o_id, 0, COUNT(*)
    FROM order_line GROUP BY ol_w_id, ol_d_id, ol_o_id
) sides
GROUP BY w, d, o
HAVING SUM(promised) <> SUM(found)
LIMIT 1000

-- Clause 3.3.2.7: ol_delivery_d is null if and only if o_carrier_id is null.
-- name: check_c7() -> (w int, d int, o int, with_carrier int, line_count int, with_date int)
SELECT w, d, o, SUM(carried), SUM(line_count), SUM(dated)
FROM (
    SELECT o_w_id AS w, o_d_id AS d, o_id AS o, 1 AS known,
        CASE WHEN o_carrier_id IS NULL THEN 0 ELSE 1 END AS carried, 0 AS line_count, 0 AS dated
    FROM orders
    UNION ALL
    SELECT ol_w_id, ol_d_id, ol_o_id, 0, 0, COUNT(*), COUNT(ol_delivery_d)
    FROM order_line GROUP BY ol_w_id, ol_d_id, ol_o_id
) sides
GROUP BY w, d, o
HAVING SUM(known) <> 1 OR SUM(carried) * SUM(line_count) <> SUM(dated)
LIMIT 1000

-- Clause 3.3.2.8: w_ytd = sum(h_amount) of the warehouse.
-- name: check_c8() -> (w int, w_ytd decimal(2), sum_h_amount decimal(2))
SELECT w, SUM(w_side), SUM(h_side)
FROM (
    SELECT w_id AS w, w_ytd AS w_side, 0 AS h_side FROM warehouse
    UNION ALL
    SELECT h_w_id, 0, SUM(h_amount) FROM history GROUP BY h_w_id
) sides
GROUP BY w
HAVING ABS(SUM(w_side) - SUM(h_side)) > 0.005
LIMIT 1000

-- Clause 3.3.2.9: d_ytd = sum(h_amount) of the district.
-- name: check_c9() -> (w int, d int, d_ytd decimal(2), sum_h_amount decimal(2))
SELECT w, d, SUM(d_side), SUM(h_side)
FROM (
    SELECT d_w_id AS w, d_id AS d, d_ytd AS d_side, 0 AS h_side FROM district
    UNION ALL
    SELECT h_w_id, h_d_id, 0, SUM(h_amount) FROM history GROUP BY h_w_id, h_d_id
) sides
GROUP BY w, d
HAVING ABS(SUM(d_side) - SUM(h_side)) > 0.005
LIMIT 1000

-- Clause 3.3.2.10: c_balance = sum(ol_amount) of the delivered lines - sum(h_amount).
-- name: check_c10() -> (w int, d int, c int, c_balance decimal(2), delivered decimal(2), paid decimal(2))
SELECT w, d, c, SUM(balance), SUM(delivered), SUM(paid)
FROM (
    SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_balance AS balance, 0 AS delivered, 0 AS paid
    FROM customer
    UNION ALL
    SELECT o_w_id, o_d_id, MAX(o_c_id), 0, SUM(ol_amount), 0
    FROM orders JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
    WHERE ol_delivery_d IS NOT NULL
    GROUP BY o_w_id, o_d_id, o_id
    UNION ALL
    SELECT h_c_w_id, h_c_d_id, h_c_id, 0, 0, h_amount FROM history
) sides
GROUP BY w, d, c
HAVING ABS(SUM(balance) - SUM(delivered) + SUM(paid)) > 0.005
LIMIT 1000

-- Clause 3.3.2.11: the orders without a row in new_order are the 2100 of the load. The clause holds
-- right after the load only; counting the deliveries since then makes it hold at any time.
-- name: check_c11() -> (w int, d int, delivered int, expected int)
SELECT w, d, SUM(delivered), SUM(deliveries) + 2100
FROM (
    SELECT o_w_id AS w, o_d_id AS d, COUNT(*) AS delivered, 0 AS deliveries
    FROM orders GROUP BY o_w_id, o_d_id
    UNION ALL
    SELECT no_w_id, no_d_id, -COUNT(*), 0 FROM new_order GROUP BY no_w_id, no_d_id
    UNION ALL
    SELECT c_w_id, c_d_id, 0, SUM(c_delivery_cnt) FROM customer GROUP BY c_w_id, c_d_id
) sides
GROUP BY w, d
HAVING SUM(delivered) <> SUM(deliveries) + 2100
LIMIT 1000

-- Clause 3.3.2.12: c_balance + c_ytd_payment = sum(ol_amount) of the delivered lines.
-- name: check_c12() -> (w int, d int, c int, balance_and_paid decimal(2), delivered decimal(2))
SELECT w, d, c, SUM(owed), SUM(delivered)
FROM (
    SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_balance + c_ytd_payment AS owed, 0 AS delivered
    FROM customer
    UNION ALL
    SELECT o_w_id, o_d_id, MAX(o_c_id), 0, SUM(ol_amount)
    FROM orders JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
    WHERE ol_delivery_d IS NOT NULL
    GROUP BY o_w_id, o_d_id, o_id
) sides
GROUP BY w, d, c
HAVING ABS(SUM(owed) - SUM(delivered)) > 0.005
LIMIT 1000
