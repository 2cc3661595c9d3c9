-- The statements of the five transactions in the common subset of SQL. A dialect's own file
-- replaces only the sections that must differ, with the same signatures. Clauses are TPC-C's.
--
-- What stands after "-- then" reads back what was just written: the row is ours by then, so the
-- read is right at every isolation level and needs no lock of its own. A dialect whose writes
-- return rows replaces both by one statement.

-- New-order, clause 2.4.2.2.

-- name: order_terms(w int, d int, c int) -> (w_tax decimal(4), c_discount decimal(4), c_last text, c_credit text)
SELECT w_tax, c_discount, c_last, c_credit
FROM warehouse JOIN customer ON c_w_id = w_id
WHERE w_id = :w AND c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: district_take_order(w int, d int) -> (o_id int, d_tax decimal(4))
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d
-- then
SELECT d_next_o_id - 1, d_tax FROM district WHERE d_w_id = :w AND d_id = :d

-- An item that is not there has no stock either: nothing is written and no row comes back.
-- keep: what must be there before the order for the stock not to be refilled.
-- name: stock_take(w int, i int, q int, keep int, d int, remote int) -> (i_price decimal(2), i_name text, i_data text, s_quantity int, s_data text, dist_info text)
UPDATE stock
SET s_quantity = CASE WHEN s_quantity >= :keep THEN s_quantity - :q ELSE s_quantity - :q + 91 END,
    s_ytd = s_ytd + :q,
    s_order_cnt = s_order_cnt + 1,
    s_remote_cnt = s_remote_cnt + :remote
WHERE s_w_id = :w AND s_i_id = :i
-- then
SELECT i_price, i_name, i_data, s_quantity, s_data,
    CASE :d
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
    END
FROM stock JOIN item ON i_id = s_i_id
WHERE s_w_id = :w AND s_i_id = :i

-- name: stock_take_frozen(w int, i int, q int, keep int, d int) -> (i_price decimal(2), i_name text, i_data text, s_quantity int, s_data text, dist_info text)
UPDATE stock
SET s_quantity = CASE WHEN s_quantity >= :keep THEN s_quantity - :q ELSE s_quantity - :q + 91 END
WHERE s_w_id = :w AND s_i_id = :i
-- then
SELECT i_price, i_name, i_data, s_quantity, s_data,
    CASE :d
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
    END
FROM stock JOIN item ON i_id = s_i_id
WHERE s_w_id = :w AND s_i_id = :i

-- name: order_insert(w int, d int, o int, c int, line_count int, all_local int, entered time)
INSERT INTO orders
    (o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt, o_all_local, o_entry_d)
VALUES (:w, :d, :o, :c, NULL, :line_count, :all_local, :entered)

-- name: new_order_insert(w int, d int, o int)
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o)

-- name: order_line_insert(w int, d int, o int, n int, i int, supply int, q int, amount decimal(2), dist_info text)
INSERT INTO order_line
    (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_delivery_d, ol_amount, ol_supply_w_id,
     ol_quantity, ol_dist_info)
VALUES (:w, :d, :o, :n, :i, NULL, :amount, :supply, :q, :dist_info)

-- Payment, clause 2.5.2.2.

-- name: warehouse_pay(w int, amount decimal(2)) -> (w_name text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text)
UPDATE warehouse SET w_ytd = w_ytd + :amount WHERE w_id = :w
-- then
SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM warehouse WHERE w_id = :w

-- name: district_pay(w int, d int, amount decimal(2)) -> (d_name text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text)
UPDATE district SET d_ytd = d_ytd + :amount WHERE d_w_id = :w AND d_id = :d
-- then
SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip
FROM district
WHERE d_w_id = :w AND d_id = :d

-- Customers of the same first name are ordered by number, so that every database picks the same.
-- name: customers_by_name(w int, d int, last text) -> (c_id int)
SELECT c_id
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_last = :last
ORDER BY c_first, c_id

-- Only the data of customers of bad credit is wanted, clause 2.5.2.2.
-- name: customer_pay(w int, d int, c int, change decimal(2), amount decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
UPDATE customer
SET c_balance = c_balance + :change,
    c_ytd_payment = c_ytd_payment + :amount,
    c_payment_cnt = c_payment_cnt + 1
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
-- then
SELECT c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last,
    c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    CASE c_credit WHEN 'BC' THEN c_data ELSE '' END
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_pay_frozen(w int, d int, c int, change decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
UPDATE customer
SET c_balance = c_balance + :change
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
-- then
SELECT c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last,
    c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    CASE c_credit WHEN 'BC' THEN c_data ELSE '' END
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_data_update(w int, d int, c int, data text)
UPDATE customer SET c_data = :data WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: history_insert(c int, c_d int, c_w int, d int, w int, paid time, amount decimal(2), data text)
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
VALUES (:c, :c_d, :c_w, :d, :w, :paid, :amount, :data)

-- Order-status, clause 2.6.2.2.

-- name: customer_status(w int, d int, c int) -> (c_balance decimal(2), c_first text, c_middle text, c_last text)
SELECT c_balance, c_first, c_middle, c_last
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: last_order(w int, d int, c int) -> (o_id int, o_entry_d time, o_carrier_id int)
SELECT o_id, o_entry_d, o_carrier_id
FROM orders
WHERE o_w_id = :w AND o_d_id = :d AND o_c_id = :c
ORDER BY o_id DESC
LIMIT 1

-- name: order_lines(w int, d int, o int) -> (ol_i_id int, ol_supply_w_id int, ol_quantity int, ol_amount decimal(2), ol_delivery_d time)
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
FROM order_line
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o

-- Delivery, clause 2.7.4.2.

-- Finds the oldest open order and takes it, in one statement, so that no other delivery can take it in
-- between. A dialect that cannot returns the order locked, and it is deleted next.
-- name: new_order_take(w int, d int) -> (no_o_id int)
DELETE FROM new_order
WHERE no_w_id = :w AND no_d_id = :d
    AND no_o_id = (SELECT MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = :d)
RETURNING no_o_id

-- Asked where nothing was found to take.
-- name: oldest_new_order(w int, d int) -> (no_o_id int)
SELECT MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = :d

-- name: new_order_delete(w int, d int, o int)
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :o

-- name: order_deliver(w int, d int, o int, carrier int) -> (o_c_id int)
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o
-- then
SELECT o_c_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o

-- name: order_lines_deliver(w int, d int, o int, delivered time) -> (total decimal(2))
UPDATE order_line
SET ol_delivery_d = :delivered
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o
-- then
SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o

-- name: customer_deliver(w int, d int, c int, amount decimal(2))
UPDATE customer
SET c_balance = c_balance + :amount, c_delivery_cnt = c_delivery_cnt + 1
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_deliver_frozen(w int, d int, c int, amount decimal(2))
UPDATE customer
SET c_balance = c_balance + :amount
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- Stock-level, clause 2.8.2.2.

-- name: district_next(w int, d int) -> (d_next_o_id int)
SELECT d_next_o_id FROM district WHERE d_w_id = :w AND d_id = :d

-- The orders from low on and before high are the last twenty.
-- name: low_stock(w int, d int, low int, high int, threshold int) -> (low_stock int)
SELECT COUNT(DISTINCT s_i_id)
FROM order_line JOIN stock ON s_w_id = :w AND s_i_id = ol_i_id
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id >= :low AND ol_o_id < :high
    AND s_quantity < :threshold
