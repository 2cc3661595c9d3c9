-- SQLite has one writer at a time: what is read in a transaction that writes needs no lock.

-- name: district_lock(w int, d int) -> (d_next_o_id int, d_tax decimal(4))
SELECT d_next_o_id, d_tax FROM district WHERE d_id = :d AND d_w_id = :w

-- name: stock_lock(w int, i int) -> (s_quantity int, s_data text, s_dist_01 text, s_dist_02 text, s_dist_03 text, s_dist_04 text, s_dist_05 text, s_dist_06 text, s_dist_07 text, s_dist_08 text, s_dist_09 text, s_dist_10 text)
SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07,
    s_dist_08, s_dist_09, s_dist_10
FROM stock
WHERE s_i_id = :i AND s_w_id = :w

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

-- name: warehouse_read_locked(w int) -> (w_name text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text)
SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip
FROM warehouse
WHERE w_id = :w

-- name: district_read_locked(w int, d int) -> (d_name text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text)
SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip
FROM district
WHERE d_w_id = :w AND d_id = :d

-- name: customer_lock(w int, d int, c int) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_id int)
SELECT c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last, c_street_1,
    c_street_2, c_city, c_state, c_zip, c_phone, c_id
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: new_order_oldest_locked(w int, d int) -> (no_o_id int)
SELECT no_o_id
FROM new_order
WHERE no_w_id = :w AND no_d_id = :d
ORDER BY no_o_id
LIMIT 1
