-- The twelve consistency conditions of TPC-C clause 3.3.2, Tacho's conditions D1 to D13 on what the clause leaves
-- out, and the count of new orders.
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
-- NULLIF(1, 1) is a NULL that every database takes for a number. Tacho's conditions are columns of these
-- statements wherever they can be, so that they add no scan of their own.

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

-- D1: the tables whose rows neither come nor go. Customers and stock are counted in statements of their own.
-- name: check_rows(warehouses int, districts int, items int) -> (name text, rows_found int)
SELECT 'warehouse' AS name, COUNT(*) AS rows_found
FROM warehouse
HAVING COUNT(*) <> :warehouses OR MIN(w_id) <> 1 OR MAX(w_id) <> :warehouses
UNION ALL
SELECT 'district' AS name, COUNT(*) AS rows_found
FROM district
HAVING COUNT(*) <> :districts OR MIN(d_w_id) <> 1 OR MIN(d_id) <> 1 OR MAX(d_id) <> 10
UNION ALL
SELECT 'item' AS name, COUNT(*) AS rows_found
FROM item
HAVING COUNT(*) <> :items OR MIN(i_id) <> 1 OR MAX(i_id) <> :items

-- Clause 3.3.2.2: d_next_o_id - 1 = max(o_id) = max(no_o_id). A district whose new orders are all
-- delivered has no max(no_o_id); condition 5 then says that its last order is delivered.
-- D2: the numbers of the orders begin with 1 and have no gap.
-- name: check_c2() -> (w int, d int, c2 int, c2_d_next_o_id int, c2_max_o_id int, c2_max_no_o_id int, d2 int, d2_min_o_id int, d2_max_o_id int, d2_found int)
SELECT w, d, c2, next_side, order_side, open_side, d2, first_side, order_side, found_side
FROM (
    SELECT w, d, SUM(next_side) AS next_side, SUM(order_side) AS order_side,
        SUM(open_side) AS open_side, SUM(first_side) AS first_side, SUM(found_side) AS found_side,
        CASE WHEN SUM(next_side) - 1 <> SUM(order_side)
            OR (SUM(open_side) > 0 AND SUM(open_side) <> SUM(next_side) - 1)
            THEN 1 ELSE 0 END AS c2,
        CASE WHEN SUM(first_side) <> 1 OR SUM(found_side) <> SUM(order_side)
            THEN 1 ELSE 0 END AS d2
    FROM (
        SELECT d_w_id AS w, d_id AS d, d_next_o_id AS next_side, 0 AS order_side,
            0 AS first_side, 0 AS found_side, 0 AS open_side
        FROM district
        UNION ALL
        SELECT o_w_id, o_d_id, 0, MAX(o_id), MIN(o_id), COUNT(*), 0
        FROM orders GROUP BY o_w_id, o_d_id
        UNION ALL
        SELECT no_w_id, no_d_id, 0, 0, 0, 0, MAX(no_o_id)
        FROM new_order GROUP BY no_w_id, no_d_id
    ) sides
    GROUP BY w, d
) districts
WHERE c2 + d2 > 0
ORDER BY w, d
LIMIT 1000

-- Clause 3.3.2.3: max(no_o_id) - min(no_o_id) + 1 = number of new_order rows of the district.
-- name: check_c3() -> (w int, d int, min_no_o_id int, max_no_o_id int, rows_found int)
SELECT no_w_id, no_d_id, MIN(no_o_id), MAX(no_o_id), COUNT(*)
FROM new_order
GROUP BY no_w_id, no_d_id
HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)
ORDER BY no_w_id, no_d_id
LIMIT 1000

-- Clause 3.3.2.8: w_ytd = sum(h_amount) for the warehouse.
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

-- Clause 3.3.2.9: d_ytd = sum(h_amount) for the district.
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
-- Some tools keep c_credit_lim as a whole number.
-- D7: the customers are those of the load: 3000 in each district, each with the values that are the same for all. If
-- alike is 1, all of a district have one c_since.
-- name: check_c11(warehouses int, credit_lim decimal(2), discount_max decimal(4), earliest time, latest time, alike int) -> (w int, d int, c11 int, c11_delivered int, c11_expected int, d7 int, d7_customers int, d7_changed int)
SELECT w, d, c11, delivered, deliveries + 2100, d7, people, changed
FROM (
    SELECT w, d, SUM(delivered) AS delivered, SUM(deliveries) AS deliveries,
        SUM(people) AS people, SUM(changed) AS changed,
        CASE WHEN SUM(delivered) <> SUM(deliveries) + 2100 THEN 1 ELSE 0 END AS c11,
        CASE WHEN SUM(people) <> 3000 OR SUM(changed) <> 0
            OR (MIN(since) <> MAX(until) AND :alike = 1) THEN 1 ELSE 0 END AS d7
    FROM (
        SELECT c_w_id AS w, c_d_id AS d, 0 AS delivered, SUM(c_delivery_cnt) AS deliveries,
            COUNT(*) AS people,
            SUM(CASE WHEN c_w_id < 1 OR c_w_id > :warehouses OR c_d_id < 1 OR c_d_id > 10
                OR c_id < 1 OR c_id > 3000
                OR CAST(c_credit_lim AS DECIMAL(14, 2)) <> :credit_lim
                OR c_discount < 0 OR c_discount > :discount_max
                OR c_credit NOT IN ('GC', 'BC') OR c_middle <> 'OE'
                OR c_since < :earliest OR c_since > :latest THEN 1 ELSE 0 END) AS changed,
            MIN(c_since) AS since, MAX(c_since) AS until
        FROM customer GROUP BY c_w_id, c_d_id
        UNION ALL
        SELECT o_w_id, o_d_id, COUNT(*), 0, 0, 0, NULL, NULL
        FROM orders GROUP BY o_w_id, o_d_id
        UNION ALL
        SELECT no_w_id, no_d_id, -COUNT(*), 0, 0, 0, NULL, NULL
        FROM new_order GROUP BY no_w_id, no_d_id
    ) sides
    GROUP BY w, d
) districts
WHERE c11 + d7 > 0
ORDER BY w, d
LIMIT 1000

-- Eight conditions on the orders of a district, whose lines are read once. Where warehouses are small integers, the
-- sums with 0 let the ends of the range be wider than they are.
-- Clause 3.3.2.4: sum(o_ol_cnt) = number of order_line rows of the district. Orders with the right number
-- of lines add the same to both sides, so the others alone decide.
-- Clause 3.3.2.5: o_carrier_id is null if and only if the order has a row in new_order.
-- Clause 3.3.2.6: o_ol_cnt = number of order_line rows of the order.
-- Clause 3.3.2.7: ol_delivery_d is null if and only if o_carrier_id is null.
-- D3: o_c_id is the number of a customer, o_carrier_id is 1 to 10, o_entry_d a date of the load or of a run.
-- D4: lines are numbered 1 to n; item, warehouse and quantity are in their ranges, and are as loaded up to order 3000.
-- D5: all lines of an order have one delivery date, of the load or of a run. An order that was loaded as delivered
-- was delivered when it was entered.
-- D6: o_all_local is 0 if a line has another warehouse; if marked is 1, o_all_local is 1 otherwise.
-- name: check_orders(warehouses int, items int, marked int, earliest time, latest time, first int, last int) -> (w int, d int, c4 int, c4_lines_missing int, c5 int, c5_o int, c6 int, c6_o int, c6_lines_missing int, c7 int, c7_o int, d3 int, d3_o int, d4 int, d4_o int, d5 int, d5_o int, d6 int, d6_o int)
SELECT w, d,
    CASE WHEN SUM(promised) <> SUM(rows_found) THEN 1 ELSE 0 END, SUM(promised) - SUM(rows_found),
    SUM(c5), MIN(CASE WHEN c5 = 1 THEN o END),
    SUM(c6), MIN(CASE WHEN c6 = 1 THEN o END), SUM(promised) - SUM(rows_found),
    SUM(c7), MIN(CASE WHEN c7 = 1 THEN o END),
    SUM(d3), MIN(CASE WHEN d3 = 1 THEN o END),
    SUM(d4), MIN(CASE WHEN d4 = 1 THEN o END),
    SUM(d5), MIN(CASE WHEN d5 = 1 THEN o END),
    SUM(d6), MIN(CASE WHEN d6 = 1 THEN o END)
FROM (
    SELECT w, d, o,
        COALESCE(MAX(promised), 0) AS promised, COALESCE(MAX(rows_found), 0) AS rows_found,
        CASE WHEN COUNT(carrier) + COUNT(waiting) <> COUNT(promised) THEN 1 ELSE 0 END AS c5,
        CASE WHEN COALESCE(MAX(promised), 0) <> COALESCE(MAX(rows_found), 0) THEN 1 ELSE 0 END AS c6,
        CASE WHEN COUNT(rows_found) > COUNT(promised)
            OR COUNT(carrier) * COALESCE(MAX(rows_found), 0) <> COALESCE(MAX(dated), 0)
            THEN 1 ELSE 0 END AS c7,
        COALESCE(MAX(d3), 0) AS d3, COALESCE(MAX(d4), 0) AS d4,
        CASE WHEN MAX(d5) = 1 OR (o <= 2100 AND MIN(entered) <> MAX(entered))
            THEN 1 ELSE 0 END AS d5,
        CASE WHEN (MAX(remote) = 1 AND MAX(is_local) <> 0)
            OR (MAX(remote) = 0 AND MAX(is_local) <> 1 AND :marked = 1)
            THEN 1 ELSE 0 END AS d6
    FROM (
        SELECT o_w_id AS w, o_d_id AS d, o_id AS o, o_ol_cnt AS promised, o_carrier_id AS carrier,
            NULLIF(1, 1) AS waiting, NULLIF(1, 1) AS rows_found, NULLIF(1, 1) AS dated,
            CASE WHEN o_c_id < 1 OR o_c_id > 3000 OR o_carrier_id < 1 OR o_carrier_id > 10
                OR o_entry_d < :earliest OR o_entry_d > :latest THEN 1 ELSE 0 END AS d3,
            NULLIF(1, 1) AS d4, NULLIF(1, 1) AS d5, NULLIF(1, 1) AS remote,
            o_all_local AS is_local, o_entry_d AS entered
        FROM orders WHERE o_w_id BETWEEN :first + 0 AND :last + 0
        UNION ALL
        SELECT no_w_id, no_d_id, no_o_id, NULLIF(1, 1), NULLIF(1, 1),
            no_o_id, NULLIF(1, 1), NULLIF(1, 1),
            NULLIF(1, 1), NULLIF(1, 1), NULLIF(1, 1), NULLIF(1, 1), NULLIF(1, 1), NULL
        FROM new_order WHERE no_w_id BETWEEN :first + 0 AND :last + 0
        UNION ALL
        SELECT ol_w_id, ol_d_id, ol_o_id, NULLIF(1, 1), NULLIF(1, 1),
            NULLIF(1, 1), COUNT(*), COUNT(ol_delivery_d),
            NULLIF(1, 1),
            CASE WHEN MAX(ol_number) <> COUNT(*) OR MAX(CASE
                    WHEN ol_supply_w_id <> ol_w_id AND (ol_o_id <= 3000
                        OR ol_supply_w_id < 1 OR ol_supply_w_id > :warehouses) THEN 1
                    WHEN ol_quantity <> 5 AND (ol_o_id <= 3000
                        OR ol_quantity < 1 OR ol_quantity > 10) THEN 1
                    WHEN ol_i_id < 1 OR ol_i_id > :items OR ol_number < 1 OR ol_amount < 0 THEN 1
                    ELSE 0 END) = 1 THEN 1 ELSE 0 END,
            CASE WHEN MIN(ol_delivery_d) <> MAX(ol_delivery_d) OR MIN(ol_delivery_d) < :earliest
                OR MAX(ol_delivery_d) > :latest THEN 1 ELSE 0 END,
            MAX(CASE WHEN ol_supply_w_id <> ol_w_id THEN 1 ELSE 0 END),
            NULLIF(1, 1), MAX(ol_delivery_d)
        FROM order_line WHERE ol_w_id BETWEEN :first + 0 AND :last + 0
        GROUP BY ol_w_id, ol_d_id, ol_o_id
    ) sides
    GROUP BY w, d, o
) numbered
WHERE c5 + c6 + c7 + d3 + d4 + d5 + d6 > 0
GROUP BY w, d

-- Five conditions on the customers of a district, for which the delivered lines are read once.
-- Clause 3.3.2.10: c_balance = sum(ol_amount) of the delivered lines - sum(h_amount).
-- Clause 3.3.2.12: c_balance + c_ytd_payment = sum(ol_amount) of the delivered lines. Some tools keep c_ytd_payment
-- as a binary fraction, whose sums are not exact.
-- D8: c_payment_cnt = number of history rows; the load makes one.
-- D9: c_delivery_cnt = number of delivered orders, without the 2100 that the load makes.
-- D10: h_amount is 1.00 to 5000.00, h_date a date of the load or of a run.
-- name: check_customers(paid_min decimal(2), paid_max decimal(2), earliest time, latest time, first int, last int) -> (w int, d int, c10 int, c10_c int, c10_by decimal(2), c12 int, c12_c int, c12_by decimal(2), d8 int, d8_c int, d8_by int, d9 int, d9_c int, d9_by int, d10 int, d10_c int)
SELECT w, d,
    SUM(c10), MIN(CASE WHEN c10 = 1 THEN c END), SUM(c10 * ABS(unpaid)),
    SUM(c12), MIN(CASE WHEN c12 = 1 THEN c END), SUM(c12 * ABS(unbilled)),
    SUM(d8), MIN(CASE WHEN d8 = 1 THEN c END), SUM(d8 * ABS(payments)),
    SUM(d9), MIN(CASE WHEN d9 = 1 THEN c END), SUM(d9 * ABS(deliveries)),
    SUM(d10), MIN(CASE WHEN d10 > 0 THEN c END)
FROM (
    SELECT w, d, c, SUM(unpaid) AS unpaid, SUM(unbilled) AS unbilled,
        SUM(payments) AS payments, SUM(deliveries) AS deliveries,
        CASE WHEN ABS(SUM(unpaid)) > 0.005 THEN 1 ELSE 0 END AS c10,
        CASE WHEN ABS(SUM(unbilled)) > 0.005 THEN 1 ELSE 0 END AS c12,
        CASE WHEN SUM(payments) <> 0 THEN 1 ELSE 0 END AS d8,
        CASE WHEN SUM(deliveries) <> 0 THEN 1 ELSE 0 END AS d9,
        SUM(d10) AS d10
    FROM (
        SELECT c_w_id AS w, c_d_id AS d, c_id AS c,
            c_balance AS unpaid, c_balance + CAST(c_ytd_payment AS DECIMAL(14, 2)) AS unbilled,
            c_payment_cnt AS payments, c_delivery_cnt AS deliveries, 0 AS d10
        FROM customer WHERE c_w_id BETWEEN :first + 0 AND :last + 0
        UNION ALL
        SELECT o_w_id, o_d_id, o_c_id, -amount, -amount,
            0, CASE WHEN o_id > 2100 THEN -1 ELSE 0 END, 0
        FROM orders JOIN (
            SELECT ol_w_id, ol_d_id, ol_o_id, SUM(ol_amount) AS amount
            FROM order_line
            WHERE ol_delivery_d IS NOT NULL AND ol_w_id BETWEEN :first + 0 AND :last + 0
            GROUP BY ol_w_id, ol_d_id, ol_o_id
        ) delivered ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
        WHERE o_w_id BETWEEN :first + 0 AND :last + 0
        UNION ALL
        SELECT h_c_w_id, h_c_d_id, h_c_id, h_amount, 0,
            -1, 0, CASE WHEN h_amount < :paid_min OR h_amount > :paid_max
                OR h_date < :earliest OR h_date > :latest THEN 1 ELSE 0 END
        FROM history WHERE h_c_w_id BETWEEN :first + 0 AND :last + 0
    ) sides
    GROUP BY w, d, c
) customers
WHERE c10 + c12 + d8 + d9 + d10 > 0
GROUP BY w, d

-- Two conditions on the stock of a warehouse.
-- D11: there are 100000 rows, the quantity is one that the refills leave, and the counters of each row can belong
-- together.
-- D12: the orders of the warehouse's own lines are those that were entered since the load. Of lines from other
-- warehouses only the bounds are known here, because those are in another part: each adds 1 to 10. If counted is 0, no
-- order is counted.
-- Some tools keep the counters as binary fractions of single precision. The factor 1 makes them double, so that the
-- sums are exact.
-- name: check_stock(warehouses int, counted int, first int, last int) -> (w int, d11 int, d11_found int, d11_wrong int, d12 int, d12_lines_missing int, d12_quantity_missing int, d12_remote int)
SELECT w, d11, rows_found, wrong, d12, orders_left, ytd_left, remote
FROM (
    SELECT w, SUM(rows_found) AS rows_found, SUM(wrong) AS wrong,
        SUM(orders_left) AS orders_left, SUM(ytd_left) AS ytd_left, SUM(remote) AS remote,
        CASE WHEN SUM(rows_found) <> 100000 OR SUM(wrong) > 0 OR w < 1 OR w > :warehouses
            THEN 1 ELSE 0 END AS d11,
        CASE WHEN SUM(orders_left) <> 0 OR SUM(ytd_left) < SUM(remote)
            OR SUM(ytd_left) > 10 * SUM(remote) THEN 1 ELSE 0 END AS d12
    FROM (
        SELECT s_w_id AS w, COUNT(*) AS rows_found,
            SUM(CASE WHEN s_i_id < 1 OR s_i_id > 100000 OR s_quantity < 1 OR s_quantity > 101
                OR s_remote_cnt < 0 OR s_remote_cnt > s_order_cnt
                OR s_ytd < s_order_cnt OR s_ytd > 10 * s_order_cnt THEN 1 ELSE 0 END) AS wrong,
            SUM(1 * s_order_cnt) - SUM(1 * s_remote_cnt) AS orders_left,
            SUM(1 * s_ytd) AS ytd_left, SUM(1 * s_remote_cnt) AS remote
        FROM stock WHERE s_w_id BETWEEN :first + 0 AND :last + 0
        GROUP BY s_w_id
        UNION ALL
        SELECT ol_w_id, 0, 0, -COUNT(*), -SUM(1 * ol_quantity), 0
        FROM order_line
        WHERE ol_w_id BETWEEN :first + 0 AND :last + 0 AND ol_o_id > 3000
            AND ol_supply_w_id = ol_w_id AND :counted = 1
        GROUP BY ol_w_id
    ) sides
    GROUP BY w
) stocks
WHERE d11 + d12 > 0
ORDER BY w
LIMIT 1000

-- D13: the counters of each row of stock are those of the lines entered since the load. All lines are read, and the
-- rows that were ordered are grouped, which takes as long as the other conditions on lines.
-- name: check_stock_rows() -> (w int, i int, s_ytd_differs int, s_order_cnt_differs int, s_remote_cnt_differs int)
SELECT w, i, SUM(ytd), SUM(ordered), SUM(remote)
FROM (
    SELECT s_w_id AS w, s_i_id AS i,
        1 * s_ytd AS ytd, 1 * s_order_cnt AS ordered, 1 * s_remote_cnt AS remote
    FROM stock WHERE s_ytd <> 0 OR s_order_cnt <> 0 OR s_remote_cnt <> 0
    UNION ALL
    SELECT ol_supply_w_id, ol_i_id, -ol_quantity, -1,
        CASE WHEN ol_supply_w_id <> ol_w_id THEN -1 ELSE 0 END
    FROM order_line WHERE ol_o_id > 3000
) sides
GROUP BY w, i
HAVING SUM(ytd) <> 0 OR SUM(ordered) <> 0 OR SUM(remote) <> 0
ORDER BY w, i
LIMIT 1000

-- Ranges of rows that are compared with what the load made of them; columns that transactions change are
-- left out, or needed for the rule by which they change.

-- name: sample_warehouses(first int, last int) -> (w_id int, w_tax decimal(4), w_name text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text)
SELECT w_id, w_tax, w_name, w_street_1, w_street_2, w_city, w_state, w_zip
FROM warehouse
WHERE w_id BETWEEN :first AND :last
ORDER BY w_id

-- name: sample_districts(first int, last int) -> (d_w_id int, d_id int, d_tax decimal(4), d_name text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text)
SELECT d_w_id, d_id, d_tax, d_name, d_street_1, d_street_2, d_city, d_state, d_zip
FROM district
WHERE d_w_id BETWEEN :first AND :last
ORDER BY d_w_id, d_id

-- The payments of a district's customers in their district. The table has no index, so that it is read as a whole.
-- name: sample_history(w int, d int) -> (h_data text, rows_found int)
SELECT h_data, COUNT(*)
FROM history
WHERE h_w_id = :w AND h_d_id = :d AND h_c_w_id = :w AND h_c_d_id = :d
GROUP BY h_data

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

-- name: sample_orders(w int, d int, first int, last int) -> (o_id int, o_c_id int, o_ol_cnt int, o_all_local int, o_carrier_id int)
SELECT o_id, o_c_id, o_ol_cnt, o_all_local, o_carrier_id
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

-- Clause 2.4.2.2: ol_dist_info is the text that the row of stock has for the district.
-- name: sample_dist_info(w int, d int) -> (o int, number int, supply int, item int, dist_info text)
SELECT ol_o_id, ol_number, ol_supply_w_id, ol_i_id, ol_dist_info
FROM district
    JOIN order_line ON ol_w_id = d_w_id AND ol_d_id = d_id
    LEFT JOIN stock ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
WHERE d_w_id = :w AND d_id = :d AND ol_w_id = :w AND ol_d_id = :d
    AND ol_o_id > 3000 AND ol_o_id >= d_next_o_id - 100
    AND (s_i_id IS NULL OR ol_dist_info <> CASE ol_d_id
        WHEN 1 THEN s_dist_01
        WHEN 2 THEN s_dist_02
        WHEN 3 THEN s_dist_03
        WHEN 4 THEN s_dist_04
        WHEN 5 THEN s_dist_05
        WHEN 6 THEN s_dist_06
        WHEN 7 THEN s_dist_07
        WHEN 8 THEN s_dist_08
        WHEN 9 THEN s_dist_09
        ELSE s_dist_10
    END)
