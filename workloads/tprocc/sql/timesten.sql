-- What TimesTen writes in its own way; same signatures as in the base files. Not run against a live server.
--
-- What was written is read back, as in the base file: a write that returns values into variables does not say whether
-- there was a row. An empty text is NULL, so that a blank stands for it, and a parameter alone has no type.
-- as in oracle: commits_total
-- as in db2: stock_take, stock_take_frozen

-- A locked row is returned, and deleted next: a DELETE returns no rows.
-- name: new_order_take(w int, d int) -> (no_o_id int)
SELECT FIRST 1 no_o_id
FROM new_order
WHERE no_w_id = :w AND no_d_id = :d
ORDER BY no_o_id
FOR UPDATE

-- name: customer_pay(w int, d int, c int, change decimal(2), amount decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
UPDATE customer
SET c_balance = c_balance + :change,
    c_ytd_payment = c_ytd_payment + :amount,
    c_payment_cnt = c_payment_cnt + 1
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
-- then
SELECT c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last,
    c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    CASE c_credit WHEN 'BC' THEN c_data ELSE ' ' END
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- name: customer_pay_frozen(w int, d int, c int, change decimal(2)) -> (c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
UPDATE customer
SET c_balance = c_balance + :change
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
-- then
SELECT c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last,
    c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    CASE c_credit WHEN 'BC' THEN c_data ELSE ' ' END
FROM customer
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c
