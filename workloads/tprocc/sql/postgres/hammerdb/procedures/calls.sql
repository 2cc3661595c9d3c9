-- The calls of HammerDB's procedures. What is passed for credit and balance counts where a customer
-- is not read.

-- name: call_new_order(w int, max_w int, d int, c int, line_count int, entered time) -> (c_discount decimal(4), c_last text, c_credit text, d_tax decimal(4), w_tax decimal(4), o_id int)
CALL neword(:w, :max_w, :d, :c, :line_count, 0, '', '', 0, 0, 0, :entered)

-- name: call_payment(w int, d int, c_w int, c_d int, c int, by_name int, amount decimal(2), last text, paid time) -> (c_credit text, c_last text, c_id int, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text, c_first text, c_middle text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_since time, c_credit_lim decimal(2), c_discount decimal(4), c_balance decimal(2), c_data text)
CALL payment(:w, :d, :c_w, :c_d, :by_name, :amount, '0', :last, :c, '', '', '', '', '', '', '', '',
    '', '', '', '', '', '', '', '', '', '', :paid, 0, 0, 0, '', :paid)

-- name: call_order_status(w int, d int, c int, by_name int, last text, entered time) -> (c_id int, c_last text, c_first text, c_middle text, c_balance decimal(2), o_id int, o_entry_d time, o_carrier_id int, lines text)
CALL ostat(:w, :d, :c, :by_name, :last, '', '', 0, 0, :entered, 0, '')

-- name: call_delivery(w int, carrier int, delivered time)
CALL delivery(:w, :carrier, :delivered)

-- name: call_stock_level(w int, d int, threshold int) -> (stock_count int)
CALL slev(:w, :d, :threshold, 0)
