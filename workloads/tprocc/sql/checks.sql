-- The twelve consistency conditions of TPC-C clause 3.3.2 and the count of new orders.
--
-- The statement of one condition returns one row per violation: where it is, and both sides. LIMIT 1000
-- bounds the answer, so a count of 1000 means "at least 1000". Both sides are stacked with UNION ALL and
-- then grouped, so that a partner row that is missing on either side is a violation too, and every table
-- is read once, in the order of its key. Money is compared with a tolerance of half a cent, for databases
-- that keep it as a floating-point number.
--
-- The conditions on order lines share two statements, because reading the lines is most of the work: one
-- row for each district with violations, and for each condition how many there are and the first. They
-- take a range of warehouses. A side that a row does not have is NULL, which costs nothing to add up;
-- NULLIF(1, 1) is a NULL that every database takes for a number.

-- Grows by one with every new order that commits; 3001 is the first number after the load.
-- name: new_orders_total() -> (new_orders int)
SELECT SUM(d_next_o_id) - 3001 * COUNT(*) FROM district

-- What the commits of payments and deliveries move; read before and after a run. Deliveries take the oldest
-- order of a district, so the first open number says how many were delivered. One row of each warehouse and
-- district is read, and one entry of an index for each district: at 1,000 warehouses 0.3 to 0.5 s on
-- PostgreSQL with two busy cores, where counting the rows of new_order takes 1 s.
-- name: commits_total() -> (w_ytd decimal(2), d_ytd decimal(2), delivered int)
SELECT (SELECT SUM(w_ytd) FROM warehouse), SUM(d_ytd), SUM(next_open)
FROM (
    SELECT d_ytd, COALESCE(
            (SELECT MIN(no_o_id) FROM new_order WHERE no_w_id = d_w_id AND no_d_id = d_id),
            d_next_o_id
        ) AS next_open
    FROM district
) districts

-- What the commits of new-orders and deliveries move, in addition to their numbers: other orders in the
-- place of ours have other customers, other deliveries have other carriers. Only orders that were open
-- after the load or are newer are read, 2101 is the first number of those: 0.15 s on PostgreSQL for a
-- million of them.
-- name: ordered_total() -> (o_c_id int, o_carrier_id int)
SELECT SUM(o_c_id), SUM(COALESCE(o_carrier_id, 0))
FROM district, orders
WHERE o_w_id = d_w_id AND o_d_id = d_id AND o_id > 2100

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
ORDER BY w
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
ORDER BY w, d
LIMIT 1000

-- Clause 3.3.2.3: max(no_o_id) - min(no_o_id) + 1 = number of new_order rows of the district.
-- name: check_c3() -> (w int, d int, min_no_o_id int, max_no_o_id int, found int)
SELECT no_w_id, no_d_id, MIN(no_o_id), MAX(no_o_id), COUNT(*)
FROM new_order
GROUP BY no_w_id, no_d_id
HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)
ORDER BY no_w_id, no_d_id
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
ORDER BY w
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
ORDER BY w, d
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
ORDER BY w, d
LIMIT 1000

-- Four conditions on the orders of a district, whose lines are read once. Where warehouses are small integers, the
-- sums with 0 let the ends of the range be wider than they are.
-- Clause 3.3.2.4: sum(o_ol_cnt) = number of order_line rows of the district. Orders with the right number
-- of lines add the same to both sides, so the others alone decide.
-- Clause 3.3.2.5: o_carrier_id is null if and only if the order has a row in new_order.
-- Clause 3.3.2.6: o_ol_cnt = number of order_line rows of the order.
-- Clause 3.3.2.7: ol_delivery_d is null if and only if o_carrier_id is null.
-- name: check_orders(first int, last int) -> (w int, d int, c4 int, c4_lines_missing int, c5 int, c5_o int, c6 int, c6_o int, c6_lines_missing int, c7 int, c7_o int)
SELECT w, d,
    CASE WHEN SUM(promised) <> SUM(found) THEN 1 ELSE 0 END, SUM(promised) - SUM(found),
    SUM(c5), MIN(CASE WHEN c5 = 1 THEN o END),
    SUM(c6), MIN(CASE WHEN c6 = 1 THEN o END), SUM(promised) - SUM(found),
    SUM(c7), MIN(CASE WHEN c7 = 1 THEN o END)
FROM (
    SELECT w, d, o,
        COALESCE(MAX(promised), 0) AS promised, COALESCE(MAX(found), 0) AS found,
        CASE WHEN COUNT(carrier) + COUNT(waiting) <> COUNT(promised) THEN 1 ELSE 0 END AS c5,
        CASE WHEN COALESCE(MAX(promised), 0) <> COALESCE(MAX(found), 0) THEN 1 ELSE 0 END AS c6,
        CASE WHEN COUNT(found) > COUNT(promised)
            OR COUNT(carrier) * COALESCE(MAX(found), 0) <> COALESCE(MAX(dated), 0)
            THEN 1 ELSE 0 END AS c7
    FROM (
        SELECT o_w_id AS w, o_d_id AS d, o_id AS o, o_ol_cnt AS promised, o_carrier_id AS carrier,
            NULLIF(1, 1) AS waiting, NULLIF(1, 1) AS found, NULLIF(1, 1) AS dated
        FROM orders WHERE o_w_id BETWEEN :first + 0 AND :last + 0
        UNION ALL
        SELECT no_w_id, no_d_id, no_o_id, NULLIF(1, 1), NULLIF(1, 1),
            no_o_id, NULLIF(1, 1), NULLIF(1, 1)
        FROM new_order WHERE no_w_id BETWEEN :first + 0 AND :last + 0
        UNION ALL
        SELECT ol_w_id, ol_d_id, ol_o_id, NULLIF(1, 1), NULLIF(1, 1),
            NULLIF(1, 1), COUNT(*), COUNT(ol_delivery_d)
        FROM order_line WHERE ol_w_id BETWEEN :first + 0 AND :last + 0
        GROUP BY ol_w_id, ol_d_id, ol_o_id
    ) sides
    GROUP BY w, d, o
) numbered
WHERE c5 + c6 + c7 > 0
GROUP BY w, d

-- Two conditions on the customers of a district, for which the delivered lines are read once.
-- Clause 3.3.2.10: c_balance = sum(ol_amount) of the delivered lines - sum(h_amount).
-- Clause 3.3.2.12: c_balance + c_ytd_payment = sum(ol_amount) of the delivered lines. Some tools keep c_ytd_payment
-- as a binary fraction, whose sums are not exact.
-- name: check_customers(first int, last int) -> (w int, d int, c10 int, c10_c int, c10_by decimal(2), c12 int, c12_c int, c12_by decimal(2))
SELECT w, d,
    SUM(c10), MIN(CASE WHEN c10 = 1 THEN c END), SUM(c10 * ABS(unpaid)),
    SUM(c12), MIN(CASE WHEN c12 = 1 THEN c END), SUM(c12 * ABS(unbilled))
FROM (
    SELECT w, d, c, SUM(unpaid) AS unpaid, SUM(unbilled) AS unbilled,
        CASE WHEN ABS(SUM(unpaid)) > 0.005 THEN 1 ELSE 0 END AS c10,
        CASE WHEN ABS(SUM(unbilled)) > 0.005 THEN 1 ELSE 0 END AS c12
    FROM (
        SELECT c_w_id AS w, c_d_id AS d, c_id AS c,
            c_balance AS unpaid, c_balance + CAST(c_ytd_payment AS DECIMAL(14, 2)) AS unbilled
        FROM customer WHERE c_w_id BETWEEN :first + 0 AND :last + 0
        UNION ALL
        SELECT o_w_id, o_d_id, o_c_id, -amount, -amount
        FROM orders JOIN (
            SELECT ol_w_id, ol_d_id, ol_o_id, SUM(ol_amount) AS amount
            FROM order_line
            WHERE ol_delivery_d IS NOT NULL AND ol_w_id BETWEEN :first + 0 AND :last + 0
            GROUP BY ol_w_id, ol_d_id, ol_o_id
        ) delivered ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
        WHERE o_w_id BETWEEN :first + 0 AND :last + 0
        UNION ALL
        SELECT h_c_w_id, h_c_d_id, h_c_id, h_amount, 0
        FROM history WHERE h_c_w_id BETWEEN :first + 0 AND :last + 0
    ) sides
    GROUP BY w, d, c
) customers
WHERE c10 + c12 > 0
GROUP BY w, d

-- Ranges of rows that are compared with what the load made of them; columns that transactions change are
-- left out, or needed for the rule by which they change.

-- name: sample_items(first int, last int) -> (i_id int, i_im_id int, i_name text, i_price decimal(2), i_data text)
SELECT i_id, i_im_id, i_name, i_price, i_data
FROM item
WHERE i_id BETWEEN :first AND :last
ORDER BY i_id

-- name: sample_stock(w int, first int, last int) -> (s_i_id int, s_quantity int, s_ytd int, s_dist_01 text, s_dist_02 text, s_dist_03 text, s_dist_04 text, s_dist_05 text, s_dist_06 text, s_dist_07 text, s_dist_08 text, s_dist_09 text, s_dist_10 text, s_data text)
SELECT s_i_id, s_quantity, s_ytd, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06,
    s_dist_07, s_dist_08, s_dist_09, s_dist_10, s_data
FROM stock
WHERE s_w_id = :w AND s_i_id BETWEEN :first AND :last
ORDER BY s_i_id

-- name: sample_customers(w int, d int, first int, last int) -> (c_id int, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_credit text, c_credit_lim decimal(2), c_discount decimal(4), c_payment_cnt int, c_data text)
SELECT c_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    c_credit, c_credit_lim, c_discount, c_payment_cnt, c_data
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_id BETWEEN :first AND :last
ORDER BY c_id

-- name: sample_orders(w int, d int, first int, last int) -> (o_id int, o_c_id int, o_ol_cnt int, o_all_local int)
SELECT o_id, o_c_id, o_ol_cnt, o_all_local
FROM orders
WHERE o_w_id = :w AND o_d_id = :d AND o_id BETWEEN :first AND :last
ORDER BY o_id

-- name: sample_lines(w int, d int, first int, last int) -> (ol_o_id int, ol_number int, ol_i_id int, ol_supply_w_id int, ol_quantity int, ol_dist_info text, ol_amount decimal(2))
SELECT ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_dist_info, ol_amount
FROM order_line
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id BETWEEN :first AND :last
ORDER BY ol_o_id, ol_number

-- Clause 2.4.2.2: of an order entered since the load, the amount of a line is quantity times price.
-- name: sample_amounts(w int, d int) -> (o int, number int, amount decimal(2), quantity int)
SELECT ol_o_id, ol_number, ol_amount, ol_quantity
FROM district
    JOIN order_line ON ol_w_id = d_w_id AND ol_d_id = d_id
    JOIN item ON i_id = ol_i_id
WHERE d_w_id = :w AND d_id = :d AND ol_w_id = :w AND ol_d_id = :d
    AND ol_o_id > 3000 AND ol_o_id >= d_next_o_id - 100
    AND ABS(ol_amount - ol_quantity * i_price) > 0.005
