-- What is sent where each read and each write of a transaction is a statement of its own, as other tools do it.
-- Some of them read with a lock, some without one; some let the server compute, others write constants.
-- Statements that are as in default.sql are not repeated.

-- New-order.

-- name: ping() -> (one int)
SELECT 1

-- name: customer_terms(w int, d int, c int) -> (c_discount decimal(4), c_last text, c_credit text)
SELECT c_discount, c_last, c_credit
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: warehouse_terms(w int) -> (w_tax decimal(4))
SELECT w_tax FROM warehouse WHERE w_id = :w

-- name: district_lock(w int, d int) -> (d_next_o_id int, d_tax decimal(4))
SELECT d_next_o_id, d_tax FROM district WHERE d_id = :d AND d_w_id = :w FOR UPDATE

-- name: district_count_up(w int, d int)
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = :d AND d_w_id = :w

-- name: district_write(w int, d int, o int)
UPDATE district SET d_next_o_id = :o WHERE d_id = :d AND d_w_id = :w

-- name: item_read(i int) -> (i_price decimal(2), i_name text, i_data text)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i

-- name: stock_read(w int, i int) -> (s_quantity int, s_data text, s_dist_01 text, s_dist_02 text, s_dist_03 text, s_dist_04 text, s_dist_05 text, s_dist_06 text, s_dist_07 text, s_dist_08 text, s_dist_09 text, s_dist_10 text)
SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07,
    s_dist_08, s_dist_09, s_dist_10
FROM stock
WHERE s_i_id = :i AND s_w_id = :w

-- name: stock_read_one(w int, i int, d int) -> (s_quantity int, s_data text, dist_info text)
SELECT s_quantity, s_data,
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
FROM stock
WHERE s_i_id = :i AND s_w_id = :w

-- name: stock_lock(w int, i int) -> (s_quantity int, s_data text, s_dist_01 text, s_dist_02 text, s_dist_03 text, s_dist_04 text, s_dist_05 text, s_dist_06 text, s_dist_07 text, s_dist_08 text, s_dist_09 text, s_dist_10 text)
SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07,
    s_dist_08, s_dist_09, s_dist_10
FROM stock
WHERE s_i_id = :i AND s_w_id = :w
FOR UPDATE

-- name: stock_lock_one(w int, i int, d int) -> (s_quantity int, s_data text, dist_info text)
SELECT s_quantity, s_data,
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
FROM stock
WHERE s_i_id = :i AND s_w_id = :w
FOR UPDATE

-- name: stock_write(w int, i int, quantity int)
UPDATE stock SET s_quantity = :quantity WHERE s_i_id = :i AND s_w_id = :w

-- name: stock_write_counted(w int, i int, quantity int, q int, remote int)
UPDATE stock
SET s_quantity = :quantity,
    s_ytd = s_ytd + :q,
    s_order_cnt = s_order_cnt + 1,
    s_remote_cnt = s_remote_cnt + :remote
WHERE s_i_id = :i AND s_w_id = :w

-- name: stock_reduce(w int, i int, q int, keep int)
UPDATE stock
SET s_quantity = CASE WHEN s_quantity >= :keep THEN s_quantity - :q ELSE s_quantity - :q + 91 END
WHERE s_i_id = :i AND s_w_id = :w

-- name: stock_reduce_counted(w int, i int, q int, keep int, remote int)
UPDATE stock
SET s_quantity = CASE WHEN s_quantity >= :keep THEN s_quantity - :q ELSE s_quantity - :q + 91 END,
    s_ytd = s_ytd + :q,
    s_order_cnt = s_order_cnt + 1,
    s_remote_cnt = s_remote_cnt + :remote
WHERE s_i_id = :i AND s_w_id = :w

-- name: line_insert(w int, d int, o int, n int, i int, supply int, q int, amount decimal(2), dist_info text)
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity,
    ol_amount, ol_dist_info)
VALUES (:o, :d, :w, :n, :i, :supply, :q, :amount, :dist_info)

-- The amount is not rounded by the client.
-- name: line_insert_exact(w int, d int, o int, n int, i int, supply int, q int, amount decimal(10), dist_info text)
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity,
    ol_amount, ol_dist_info)
VALUES (:o, :d, :w, :n, :i, :supply, :q, :amount, :dist_info)

-- Payment.

-- name: warehouse_add(w int, amount decimal(2))
UPDATE warehouse SET w_ytd = w_ytd + :amount WHERE w_id = :w

-- name: warehouse_read(w int) -> (w_name text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text)
SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip
FROM warehouse
WHERE w_id = :w

-- name: warehouse_read_locked(w int) -> (w_name text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text)
SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip
FROM warehouse
WHERE w_id = :w
FOR UPDATE

-- name: district_add(w int, d int, amount decimal(2))
UPDATE district SET d_ytd = d_ytd + :amount WHERE d_w_id = :w AND d_id = :d

-- name: district_read(w int, d int) -> (d_name text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text)
SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip
FROM district
WHERE d_w_id = :w AND d_id = :d

-- name: district_read_locked(w int, d int) -> (d_name text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text)
SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip
FROM district
WHERE d_w_id = :w AND d_id = :d
FOR UPDATE

-- name: namesakes_count(w int, d int, last text) -> (namesakes int)
SELECT COUNT(c_id) FROM customer WHERE c_last = :last AND c_d_id = :d AND c_w_id = :w

-- name: namesakes_read(w int, d int, last text) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_id int)
SELECT c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last, c_street_1,
    c_street_2, c_city, c_state, c_zip, c_phone, c_id
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_last = :last
ORDER BY c_first

-- name: customer_read(w int, d int, c int) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_id int)
SELECT c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last, c_street_1,
    c_street_2, c_city, c_state, c_zip, c_phone, c_id
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_lock(w int, d int, c int) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_id int)
SELECT c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last, c_street_1,
    c_street_2, c_city, c_state, c_zip, c_phone, c_id
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
FOR UPDATE

-- name: customer_data_read(w int, d int, c int) -> (c_data text)
SELECT c_data FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_write(w int, d int, c int, balance decimal(2))
UPDATE customer
SET c_balance = :balance
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_write_data(w int, d int, c int, balance decimal(2), data text)
UPDATE customer
SET c_balance = :balance,
    c_data = :data
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_write_counted(w int, d int, c int, balance decimal(2), paid decimal(2), payments int)
UPDATE customer
SET c_balance = :balance,
    c_ytd_payment = c_ytd_payment + :paid,
    c_payment_cnt = c_payment_cnt + :payments
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_write_counted_data(w int, d int, c int, balance decimal(2), paid decimal(2), payments int, data text)
UPDATE customer
SET c_balance = :balance,
    c_ytd_payment = c_ytd_payment + :paid,
    c_payment_cnt = c_payment_cnt + :payments,
    c_data = :data
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_add(w int, d int, c int, balance decimal(2))
UPDATE customer
SET c_balance = c_balance + :balance
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_add_data(w int, d int, c int, balance decimal(2), data text)
UPDATE customer
SET c_balance = c_balance + :balance,
    c_data = :data
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_add_counted(w int, d int, c int, balance decimal(2), paid decimal(2), payments int)
UPDATE customer
SET c_balance = c_balance + :balance,
    c_ytd_payment = c_ytd_payment + :paid,
    c_payment_cnt = c_payment_cnt + :payments
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_add_counted_data(w int, d int, c int, balance decimal(2), paid decimal(2), payments int, data text)
UPDATE customer
SET c_balance = c_balance + :balance,
    c_ytd_payment = c_ytd_payment + :paid,
    c_payment_cnt = c_payment_cnt + :payments,
    c_data = :data
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- Order-status.

-- name: namesakes_status(w int, d int, last text) -> (c_balance decimal(2), c_first text, c_middle text, c_id int)
SELECT c_balance, c_first, c_middle, c_id
FROM customer
WHERE c_last = :last AND c_d_id = :d AND c_w_id = :w
ORDER BY c_first

-- name: last_order_maximum(w int, d int, c int) -> (o_id int, o_entry_d time, o_carrier_id int)
SELECT o_id, o_entry_d, o_carrier_id
FROM orders
WHERE o_w_id = :w AND o_d_id = :d AND o_c_id = :c
    AND o_id = (SELECT MAX(o_id) FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_c_id = :c)

-- name: orders_of_customer(w int, d int, c int) -> (o_id int, o_entry_d time, o_carrier_id int)
SELECT o_id, o_entry_d, o_carrier_id
FROM orders
WHERE o_w_id = :w AND o_d_id = :d AND o_c_id = :c
ORDER BY o_id DESC

-- Delivery: the oldest order is the first that the key gives, or the lowest number.

-- name: new_order_first(w int, d int) -> (no_o_id int)
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d LIMIT 1

-- name: new_order_oldest(w int, d int) -> (no_o_id int)
SELECT no_o_id
FROM new_order
WHERE no_w_id = :w AND no_d_id = :d
ORDER BY no_o_id
LIMIT 1

-- name: new_order_oldest_locked(w int, d int) -> (no_o_id int)
SELECT no_o_id
FROM new_order
WHERE no_w_id = :w AND no_d_id = :d
ORDER BY no_o_id
LIMIT 1
FOR UPDATE

-- name: new_order_minimum(w int, d int) -> (no_o_id int)
SELECT COALESCE(MIN(no_o_id), 0) FROM new_order WHERE no_w_id = :w AND no_d_id = :d

-- name: order_customer(w int, d int, o int) -> (o_c_id int)
SELECT o_c_id FROM orders WHERE o_id = :o AND o_d_id = :d AND o_w_id = :w

-- name: order_carrier(w int, d int, o int, carrier int)
UPDATE orders SET o_carrier_id = :carrier WHERE o_id = :o AND o_d_id = :d AND o_w_id = :w

-- name: lines_date(w int, d int, o int, delivered time)
UPDATE order_line
SET ol_delivery_d = :delivered
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o

-- name: lines_sum(w int, d int, o int) -> (total decimal(2))
SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o

-- name: lines_sum_quantities(w int, d int, o int) -> (total decimal(2))
SELECT SUM(ol_amount * ol_quantity)
FROM order_line
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o

-- Stock-level.

-- name: low_stock_lines(w int, d int, low int, high int, threshold int) -> (low_stock int)
SELECT COUNT(*)
FROM order_line JOIN stock ON s_w_id = :w AND s_i_id = ol_i_id
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id >= :low AND ol_o_id < :high
    AND s_quantity < :threshold

-- name: recent_items(w int, d int, low int, high int) -> (ol_i_id int)
SELECT DISTINCT ol_i_id
FROM order_line
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id >= :low AND ol_o_id < :high

-- name: stock_below(w int, i int, threshold int) -> (low_stock int)
SELECT COUNT(*) FROM stock WHERE s_w_id = :w AND s_i_id = :i AND s_quantity < :threshold
