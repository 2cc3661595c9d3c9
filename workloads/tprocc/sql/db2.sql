-- What Db2 writes in its own way; same signatures as in the base files. Not run against a live Db2.
--
-- A write returns the row it wrote. The stock is written and then read, because a table that is changed by a
-- query must be the only one there.

-- name: district_take_order(w int, d int) -> (o_id int, d_tax decimal(4))
SELECT d_next_o_id - 1, d_tax
FROM FINAL TABLE (
    UPDATE district
    SET d_next_o_id = d_next_o_id + 1
    WHERE d_w_id = :w AND d_id = :d
)

-- name: warehouse_pay(w int, amount decimal(2)) -> (w_name text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text)
SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip
FROM FINAL TABLE (
    UPDATE warehouse
    SET w_ytd = w_ytd + :amount
    WHERE w_id = :w
)

-- name: district_pay(w int, d int, amount decimal(2)) -> (d_name text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text)
SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip
FROM FINAL TABLE (
    UPDATE district
    SET d_ytd = d_ytd + :amount
    WHERE d_w_id = :w AND d_id = :d
)

-- name: customer_pay(w int, d int, c int, change decimal(2), amount decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
SELECT c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last,
    c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    CASE c_credit WHEN 'BC' THEN c_data ELSE '' END
FROM FINAL TABLE (
    UPDATE customer
    SET c_balance = c_balance + :change,
        c_ytd_payment = c_ytd_payment + :amount,
        c_payment_cnt = c_payment_cnt + 1
    WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
)

-- name: customer_pay_frozen(w int, d int, c int, change decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
SELECT c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last,
    c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    CASE c_credit WHEN 'BC' THEN c_data ELSE '' END
FROM FINAL TABLE (
    UPDATE customer
    SET c_balance = c_balance + :change
    WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
)

-- name: order_deliver(w int, d int, o int, carrier int) -> (o_c_id int)
SELECT o_c_id
FROM FINAL TABLE (
    UPDATE orders
    SET o_carrier_id = :carrier
    WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o
)

-- A parameter alone has no type.
-- name: stock_take(w int, i int, q int, keep int, d int, remote int) -> (i_price decimal(2), i_name text, i_data text, s_quantity int, s_data text, dist_info text)
UPDATE stock
SET s_quantity = CASE WHEN s_quantity >= :keep THEN s_quantity - :q ELSE s_quantity - :q + 91 END,
    s_ytd = s_ytd + :q,
    s_order_cnt = s_order_cnt + 1,
    s_remote_cnt = s_remote_cnt + :remote
WHERE s_w_id = :w AND s_i_id = :i
-- then
SELECT i_price, i_name, i_data, s_quantity, s_data,
    CASE CAST(:d AS INTEGER)
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
    CASE CAST(:d AS INTEGER)
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

-- The delete locks the row, so that a second delivery waits for the first, and goes on to the next order.
-- name: new_order_take(w int, d int) -> (no_o_id int)
SELECT no_o_id
FROM OLD TABLE (
    DELETE FROM (
        SELECT no_o_id
        FROM new_order
        WHERE no_w_id = :w AND no_d_id = :d
        ORDER BY no_o_id
        FETCH FIRST 1 ROW ONLY
    )
)

-- A sum of INTEGER is an INTEGER, which 160 warehouses exceed.

-- name: new_orders_total() -> (new_orders int)
SELECT SUM(CAST(d_next_o_id AS BIGINT)) - 3001 * COUNT(*) FROM district

-- name: commits_total() -> (w_ytd decimal(2), d_ytd decimal(2), delivered int)
SELECT (SELECT SUM(w_ytd) FROM warehouse), SUM(d_ytd), SUM(CAST(next_open AS BIGINT))
FROM (
    SELECT d_ytd, COALESCE(
            (SELECT MIN(no_o_id) FROM new_order WHERE no_w_id = d_w_id AND no_d_id = d_id),
            d_next_o_id
        ) AS next_open
    FROM district
) districts

-- name: ordered_total() -> (o_c_id int, o_carrier_id int)
SELECT SUM(CAST(o_c_id AS BIGINT)), SUM(CAST(COALESCE(o_carrier_id, 0) AS BIGINT))
FROM district, orders
WHERE o_w_id = d_w_id AND o_d_id = d_id AND o_id > 2100
