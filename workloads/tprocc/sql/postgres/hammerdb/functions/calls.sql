-- The calls of HammerDB's functions. What is passed for credit and balance counts where a customer
-- is not read.

-- name: call_new_order(w int, max_w int, d int, c int, line_count int) -> (total decimal(2))
SELECT neword(:w, :max_w, :d, :c, :line_count, 0)

-- name: call_payment(w int, d int, c_w int, c_d int, c int, by_name int, amount decimal(2), last text) -> (c_id int)
SELECT payment(:w, :d, :c_w, :c_d, :c, :by_name, :amount, :last, '0', 0)

-- name: call_order_status(w int, d int, c int, by_name int, last text) -> (c_id int, c_last text, c_first text, c_middle text, c_balance decimal(2), o_id int, o_entry_d time, o_carrier_id int, ol_i_id int, ol_supply_w_id int, ol_quantity int, ol_amount decimal(2), ol_delivery_d time)
SELECT * FROM ostat(:w, :d, :c, :by_name, :last)

-- name: call_delivery(w int, carrier int) -> (done int)
SELECT delivery(:w, :carrier)

-- name: call_stock_level(w int, d int, threshold int) -> (stock_count int)
SELECT slev(:w, :d, :threshold)
