-- What Oracle writes in its own way; same signatures as in the base files. Not run against a live server.
--
-- A write returns the row it wrote. An empty text is NULL in this database, so that a blank stands for it.

-- name: district_take_order(w int, d int) -> (o_id int, d_tax decimal(4))
UPDATE district
SET d_next_o_id = d_next_o_id + 1
WHERE d_w_id = :w AND d_id = :d
RETURNING d_next_o_id - 1, d_tax INTO :o_id, :d_tax

-- name: warehouse_pay(w int, amount decimal(2)) -> (w_name text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text)
UPDATE warehouse
SET w_ytd = w_ytd + :amount
WHERE w_id = :w
RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip
INTO :w_name, :w_street_1, :w_street_2, :w_city, :w_state, :w_zip

-- name: district_pay(w int, d int, amount decimal(2)) -> (d_name text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text)
UPDATE district
SET d_ytd = d_ytd + :amount
WHERE d_w_id = :w AND d_id = :d
RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip
INTO :d_name, :d_street_1, :d_street_2, :d_city, :d_state, :d_zip

-- name: customer_pay(w int, d int, c int, change decimal(2), amount decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
UPDATE customer
SET c_balance = c_balance + :change,
    c_ytd_payment = c_ytd_payment + :amount,
    c_payment_cnt = c_payment_cnt + 1
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
RETURNING c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last,
    c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    CASE c_credit WHEN 'BC' THEN c_data ELSE ' ' END
INTO :c_credit, :c_balance, :c_discount, :c_credit_lim, :c_since, :c_first, :c_middle, :c_last,
    :c_street_1, :c_street_2, :c_city, :c_state, :c_zip, :c_phone, :c_data

-- name: customer_pay_frozen(w int, d int, c int, change decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
UPDATE customer
SET c_balance = c_balance + :change
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
RETURNING c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last,
    c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    CASE c_credit WHEN 'BC' THEN c_data ELSE ' ' END
INTO :c_credit, :c_balance, :c_discount, :c_credit_lim, :c_since, :c_first, :c_middle, :c_last,
    :c_street_1, :c_street_2, :c_city, :c_state, :c_zip, :c_phone, :c_data

-- name: order_deliver(w int, d int, o int, carrier int) -> (o_c_id int)
UPDATE orders
SET o_carrier_id = :carrier
WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o
RETURNING o_c_id INTO :o_c_id

-- name: order_lines_deliver(w int, d int, o int, delivered time) -> (total decimal(2))
UPDATE order_line
SET ol_delivery_d = :delivered
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o
RETURNING SUM(ol_amount) INTO :total

-- A second delivery waits for the row and finds it gone: nothing is returned, and the next order is looked for.
-- name: new_order_take(w int, d int) -> (no_o_id int)
DELETE FROM new_order
WHERE no_w_id = :w AND no_d_id = :d
    AND no_o_id = (SELECT MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = :d)
RETURNING no_o_id INTO :no_o_id

-- A sum and the result of a query cannot stand side by side without a group.

-- name: commits_total() -> (w_ytd decimal(2), d_ytd decimal(2), delivered int)
SELECT w_ytd, d_ytd, delivered
FROM (SELECT SUM(w_ytd) AS w_ytd FROM warehouse)
CROSS JOIN (
    SELECT SUM(d_ytd) AS d_ytd, SUM(next_open) AS delivered
    FROM (
        SELECT d_ytd, COALESCE(
                (SELECT MIN(no_o_id) FROM new_order WHERE no_w_id = d_w_id AND no_d_id = d_id),
                d_next_o_id
            ) AS next_open
        FROM district
    )
)
