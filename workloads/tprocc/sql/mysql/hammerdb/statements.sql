-- What HammerDB's mode without stored procedures sends and our own statements do not: it reads first, without
-- a lock but for the district, and writes what it has computed as constants.

-- New-order: customer and warehouse are read before the transaction begins.

-- name: district_lock(w int, d int) -> (d_next_o_id int, d_tax decimal(4))
SELECT d_next_o_id, d_tax FROM district WHERE d_id = :d AND d_w_id = :w FOR UPDATE

-- name: district_count_up(w int, d int)
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = :d AND d_w_id = :w

-- name: item_read(i int) -> (i_price decimal(2), i_name text, i_data text)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i

-- name: stock_read(w int, i int) -> (s_quantity int, s_data text, s_dist_01 text, s_dist_02 text, s_dist_03 text, s_dist_04 text, s_dist_05 text, s_dist_06 text, s_dist_07 text, s_dist_08 text, s_dist_09 text, s_dist_10 text)
SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07,
    s_dist_08, s_dist_09, s_dist_10
FROM stock
WHERE s_i_id = :i AND s_w_id = :w

-- name: stock_write(w int, i int, quantity int)
UPDATE stock SET s_quantity = :quantity WHERE s_i_id = :i AND s_w_id = :w

-- The amount is not rounded by the client.
-- name: line_insert(w int, d int, o int, n int, i int, supply int, q int, amount decimal(10), dist_info text)
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity,
    ol_amount, ol_dist_info)
VALUES (:o, :d, :w, :n, :i, :supply, :q, :amount, :dist_info)

-- Payment.

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

-- name: customer_data_read(w int, d int, c int) -> (c_data text)
SELECT c_data FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_write(w int, d int, c int, balance decimal(2))
UPDATE customer SET c_balance = :balance WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_write_data(w int, d int, c int, balance decimal(2), data text)
UPDATE customer
SET c_balance = :balance, c_data = :data
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- Order-status.

-- name: namesakes_status(w int, d int, last text) -> (c_balance decimal(2), c_first text, c_middle text, c_id int)
SELECT c_balance, c_first, c_middle, c_id
FROM customer
WHERE c_last = :last AND c_d_id = :d AND c_w_id = :w
ORDER BY c_first

-- Delivery: the oldest order is the first that the key gives.

-- name: new_order_first(w int, d int) -> (no_o_id int)
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d LIMIT 1

-- name: order_customer(w int, d int, o int) -> (o_c_id int)
SELECT o_c_id FROM orders WHERE o_id = :o AND o_d_id = :d AND o_w_id = :w

-- name: order_carrier(w int, d int, o int, carrier int)
UPDATE orders SET o_carrier_id = :carrier WHERE o_id = :o AND o_d_id = :d AND o_w_id = :w
