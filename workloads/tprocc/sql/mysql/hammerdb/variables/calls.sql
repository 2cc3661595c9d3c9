-- The calls of HammerDB's procedures as with its option for prepared statements: the input goes in
-- variables of the session too, so that each call is the same text.

-- name: call_new_order(w int, max_w int, d int, c int, line_count int, entered time) -> (c_discount decimal(4), c_last text, c_credit text, d_tax decimal(4), w_tax decimal(4), o_id int)
SET @w = :w, @max_w = :max_w, @d = :d, @c = :c, @line_count = :line_count, @o = 0, @at = :entered
-- then
CALL neword(@w, @max_w, @d, @c, @line_count, @discount, @last, @credit, @d_tax, @w_tax, @o, @at)
-- then
SELECT CAST(@discount AS DECIMAL(4,4)), @last, @credit, CAST(@d_tax AS DECIMAL(4,4)),
    CAST(@w_tax AS DECIMAL(4,4)), CAST(@o AS SIGNED)

-- name: call_payment(w int, d int, c_w int, c_d int, c int, by_name int, amount decimal(2), last text, paid time) -> (c_id int, c_last text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text, c_first text, c_middle text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_since text, c_credit text, c_credit_lim decimal(2), c_discount decimal(4), c_balance decimal(2), c_data text)
SET @w = :w, @d = :d, @c_w = :c_w, @c_d = :c_d, @c = :c, @by_name = :by_name, @amount = :amount,
    @last = :last, @credit = '0', @balance = 0, @at = :paid
-- then
CALL payment(@w, @d, @c_w, @c_d, @c, @by_name, @amount, @last, @w_street_1, @w_street_2, @w_city, @w_state,
    @w_zip, @d_street_1, @d_street_2, @d_city, @d_state, @d_zip, @first, @middle, @street_1,
    @street_2, @city, @state, @zip, @phone, @since, @credit, @limit, @discount, @balance, @data, @at)
-- then
SELECT CAST(@c AS SIGNED), @last, @w_street_1, @w_street_2, @w_city, @w_state, @w_zip, @d_street_1,
    @d_street_2, @d_city, @d_state, @d_zip, @first, @middle, @street_1, @street_2, @city, @state, @zip,
    @phone, @since, @credit, CAST(@limit AS DECIMAL(12,2)), CAST(@discount AS DECIMAL(4,4)),
    CAST(@balance AS DECIMAL(12,2)), @data

-- name: call_order_status(w int, d int, c int, by_name int, last text, entered time) -> (c_id int, c_last text, c_first text, c_middle text, c_balance decimal(2), o_id int, o_entry_d text, o_carrier_id int)
SET @w = :w, @d = :d, @c = :c, @by_name = :by_name, @last = :last, @entered = :entered
-- then
CALL ostat(@w, @d, @c, @by_name, @last, @first, @middle, @balance, @o, @entered, @carrier)
-- then
SELECT CAST(@c AS SIGNED), @last, @first, @middle, CAST(@balance AS DECIMAL(12,2)),
    CAST(@o AS SIGNED), @entered, CAST(@carrier AS SIGNED)

-- name: call_delivery(w int, carrier int, delivered time)
SET @w = :w, @carrier = :carrier, @at = :delivered
-- then
CALL delivery(@w, @carrier, @at)

-- name: call_stock_level(w int, d int, threshold int) -> (stock_count int)
SET @w = :w, @d = :d, @threshold = :threshold
-- then
CALL slev(@w, @d, @threshold, @stock_count)
-- then
SELECT CAST(@stock_count AS SIGNED)
