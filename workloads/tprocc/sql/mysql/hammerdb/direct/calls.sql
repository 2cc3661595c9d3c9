-- The calls of HammerDB's procedures in one round trip: every parameter is a placeholder, and the
-- server gives back those that are results. What is sent in the place of a result is not read.

-- name: call_new_order(w int, max_w int, d int, c int, line_count int, entered time) -> (c_discount decimal(4), c_last text, c_credit text, d_tax decimal(4), w_tax decimal(4), o_id int)
CALL neword(:w, :max_w, :d, :c, :line_count, :w, :w, :w, :w, :w, :w, :entered)

-- Credit and balance go in as 1 or 0, which counts only if there is no such customer.
-- name: call_payment(w int, d int, c_w int, c_d int, c int, by_name int, amount decimal(2), last text, paid time) -> (c_id int, c_last text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text, c_first text, c_middle text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_since time, c_credit text, c_credit_lim decimal(2), c_discount decimal(4), c_balance decimal(2), c_data text)
CALL payment(:w, :d, :c_w, :c_d, :c, :by_name, :amount, :last, :w, :w, :w, :w, :w, :w, :w, :w, :w, :w,
    :w, :w, :w, :w, :w, :w, :w, :w, :paid, :by_name, :w, :w, :by_name, :w, :paid)

-- name: call_order_status(w int, d int, c int, by_name int, last text, entered time) -> (c_id int, c_last text, c_first text, c_middle text, c_balance decimal(2), o_id int, o_entry_d time, o_carrier_id int)
CALL ostat(:w, :d, :c, :by_name, :last, :w, :w, :w, :w, :entered, :w)

-- name: call_delivery(w int, carrier int, delivered time)
CALL delivery(:w, :carrier, :delivered)

-- name: call_stock_level(w int, d int, threshold int) -> (stock_count int)
CALL slev(:w, :d, :threshold, :w)
