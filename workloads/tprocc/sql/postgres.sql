-- What differs for PostgreSQL; same signatures as in the base files.
--
-- A write returns the row it wrote, which saves the statement that reads it back: a new-order has 26
-- statements in place of 37.

-- name: district_take_order(w int, d int) -> (o_id int, d_tax decimal(4))
UPDATE district
SET d_next_o_id = d_next_o_id + 1
WHERE d_w_id = :w AND d_id = :d
RETURNING d_next_o_id - 1, d_tax

-- Without the cast the branches would make :d a text.
-- name: stock_take(w int, i int, q int, keep int, d int, remote int) -> (i_price decimal(2), i_name text, i_data text, s_quantity int, s_data text, dist_info text)
UPDATE stock
SET s_quantity = CASE WHEN s_quantity >= :keep THEN s_quantity - :q ELSE s_quantity - :q + 91 END,
    s_ytd = s_ytd + :q,
    s_order_cnt = s_order_cnt + 1,
    s_remote_cnt = s_remote_cnt + :remote
FROM item
WHERE s_w_id = :w AND s_i_id = :i AND i_id = :i
RETURNING i_price, i_name, i_data, s_quantity, s_data,
    CASE CAST(:d AS int)
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

-- name: stock_take_frozen(w int, i int, q int, keep int, d int) -> (i_price decimal(2), i_name text, i_data text, s_quantity int, s_data text, dist_info text)
UPDATE stock
SET s_quantity = CASE WHEN s_quantity >= :keep THEN s_quantity - :q ELSE s_quantity - :q + 91 END
FROM item
WHERE s_w_id = :w AND s_i_id = :i AND i_id = :i
RETURNING i_price, i_name, i_data, s_quantity, s_data,
    CASE CAST(:d AS int)
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

-- name: warehouse_pay(w int, amount decimal(2)) -> (w_name text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text)
UPDATE warehouse
SET w_ytd = w_ytd + :amount
WHERE w_id = :w
RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip

-- name: district_pay(w int, d int, amount decimal(2)) -> (d_name text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text)
UPDATE district
SET d_ytd = d_ytd + :amount
WHERE d_w_id = :w AND d_id = :d
RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip

-- name: customer_pay(w int, d int, c int, change decimal(2), amount decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
UPDATE customer
SET c_balance = c_balance + :change,
    c_ytd_payment = c_ytd_payment + :amount,
    c_payment_cnt = c_payment_cnt + 1
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
RETURNING c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last,
    c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    CASE c_credit WHEN 'BC' THEN c_data ELSE '' END

-- name: customer_pay_frozen(w int, d int, c int, change decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
UPDATE customer
SET c_balance = c_balance + :change
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
RETURNING c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last,
    c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    CASE c_credit WHEN 'BC' THEN c_data ELSE '' END

-- The lock makes a second delivery wait for the first, and then go on to the next order: read without
-- it, 17 to 22 % of the districts were skipped with 4 sessions on 1 warehouse. SKIP LOCKED would not
-- wait, but leave a gap in the numbers when the first one fails. An order that is deleted while this
-- waits is an error at the levels above READ COMMITTED, and the delivery can be tried again.
-- name: new_order_take(w int, d int) -> (no_o_id int)
DELETE FROM new_order
WHERE no_w_id = :w AND no_d_id = :d
    AND no_o_id = (
        SELECT no_o_id
        FROM new_order
        WHERE no_w_id = :w AND no_d_id = :d
        ORDER BY no_o_id
        LIMIT 1
        FOR UPDATE
    )
RETURNING no_o_id

-- name: order_deliver(w int, d int, o int, carrier int) -> (o_c_id int)
UPDATE orders
SET o_carrier_id = :carrier
WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o
RETURNING o_c_id

-- name: order_lines_deliver(w int, d int, o int, delivered time) -> (total decimal(2))
WITH lines AS (
    UPDATE order_line
    SET ol_delivery_d = :delivered
    WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o
    RETURNING ol_amount
)
SELECT SUM(ol_amount) FROM lines
