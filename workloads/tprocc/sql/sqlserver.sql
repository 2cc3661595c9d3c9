-- What SQL Server writes in its own way; same signatures as in the base files.
--
-- A write of one row returns it; for Babelfish, whose OUTPUT is wrong, the driver reads the row back in the same batch.
-- The stock is written and then read, as in the base file: its row is returned with that of the item, and an UPDATE
-- with FROM and OUTPUT changes all rows on Babelfish 4.3. Babelfish accepts no CASE in OUTPUT, so that the data of a
-- customer of good credit is cut to nothing.

-- name: district_take_order(w int, d int) -> (o_id int, d_tax decimal(4))
UPDATE district
SET d_next_o_id = d_next_o_id + 1
OUTPUT inserted.d_next_o_id - 1, inserted.d_tax
WHERE d_w_id = :w AND d_id = :d

-- name: warehouse_pay(w int, amount decimal(2)) -> (w_name text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text)
UPDATE warehouse
SET w_ytd = w_ytd + :amount
OUTPUT inserted.w_name, inserted.w_street_1, inserted.w_street_2, inserted.w_city, inserted.w_state,
    inserted.w_zip
WHERE w_id = :w

-- name: district_pay(w int, d int, amount decimal(2)) -> (d_name text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text)
UPDATE district
SET d_ytd = d_ytd + :amount
OUTPUT inserted.d_name, inserted.d_street_1, inserted.d_street_2, inserted.d_city, inserted.d_state,
    inserted.d_zip
WHERE d_w_id = :w AND d_id = :d

-- name: customer_pay(w int, d int, c int, change decimal(2), amount decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
UPDATE customer
SET c_balance = c_balance + :change,
    c_ytd_payment = c_ytd_payment + :amount,
    c_payment_cnt = c_payment_cnt + 1
OUTPUT inserted.c_credit, inserted.c_balance, inserted.c_discount, inserted.c_credit_lim,
    inserted.c_since, inserted.c_first, inserted.c_middle, inserted.c_last, inserted.c_street_1,
    inserted.c_street_2, inserted.c_city, inserted.c_state, inserted.c_zip, inserted.c_phone,
    LEFT(inserted.c_data, 500 * CHARINDEX('BC', inserted.c_credit))
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_pay_frozen(w int, d int, c int, change decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
UPDATE customer
SET c_balance = c_balance + :change
OUTPUT inserted.c_credit, inserted.c_balance, inserted.c_discount, inserted.c_credit_lim,
    inserted.c_since, inserted.c_first, inserted.c_middle, inserted.c_last, inserted.c_street_1,
    inserted.c_street_2, inserted.c_city, inserted.c_state, inserted.c_zip, inserted.c_phone,
    LEFT(inserted.c_data, 500 * CHARINDEX('BC', inserted.c_credit))
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: order_deliver(w int, d int, o int, carrier int) -> (o_c_id int)
UPDATE orders
SET o_carrier_id = :carrier
OUTPUT inserted.o_c_id
WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o

-- A second delivery waits for the row and finds it gone: nothing is returned, and the next order is looked for.
-- There is no lock hint, which memory-optimized tables refuse.
-- name: new_order_take(w int, d int) -> (no_o_id int)
DELETE FROM new_order
OUTPUT deleted.no_o_id
WHERE no_w_id = :w AND no_d_id = :d
    AND no_o_id = (
        SELECT MIN(no_o_id)
        FROM new_order
        WHERE no_w_id = :w AND no_d_id = :d
    )

-- A sum of INT is an INT, which 160 warehouses exceed.

-- name: new_orders_total() -> (new_orders int)
SELECT SUM(CAST(d_next_o_id AS BIGINT)) - 3001 * COUNT_BIG(*) FROM district

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
