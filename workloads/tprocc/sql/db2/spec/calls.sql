-- The calls of our own routines, one for each transaction. Values of arrays travel as text; results are OUT
-- parameters.

-- name: call_new_order(w int, d int, c int, entered time, items text, supplies text, quantities text, reserve int, counted int, taxed int) -> (order_id int, w_tax decimal(4), d_tax decimal(4), c_discount decimal(4), c_last text, c_credit text, total decimal(2), names text, prices text, stocks text, brands text)
CALL tprocc_new_order(
    :w, :d, :c, :entered, :items, :supplies, :quantities, :reserve, :counted, :taxed, :order_id,
    :w_tax, :d_tax, :c_discount, :c_last, :c_credit, :total, :names, :prices, :stocks, :brands
)

-- name: call_payment(w int, d int, c_w int, c_d int, c int, by_name int, last text, middle int, amount decimal(2), change decimal(2), counted int, paid time) -> (c_id int, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_since time, c_credit text, c_credit_lim decimal(2), c_discount decimal(4), c_balance decimal(2), c_data text)
CALL tprocc_payment(
    :w, :d, :c_w, :c_d, :c, :by_name, :last, :middle, :amount, :change, :counted, :paid, :c_id,
    :w_street_1, :w_street_2, :w_city, :w_state, :w_zip, :d_street_1, :d_street_2, :d_city,
    :d_state, :d_zip, :c_first, :c_middle, :c_last, :c_street_1, :c_street_2, :c_city, :c_state,
    :c_zip, :c_phone, :c_since, :c_credit, :c_credit_lim, :c_discount, :c_balance, :c_data
)

-- name: call_order_status(w int, d int, c int, by_name int, last text, own int) -> (c_id int, c_balance decimal(2), c_first text, c_middle text, c_last text, o_id int, o_entry_d time, o_carrier_id int, items text, supplies text, quantities text, amounts text, delivered text)
CALL tprocc_order_status(
    :w, :d, :c, :by_name, :last, :own, :c_id, :c_balance, :c_first, :c_middle, :c_last, :o_id,
    :o_entry_d, :o_carrier_id, :items, :supplies, :quantities, :amounts, :delivered
)

-- name: call_delivery(w int, carrier int, delivered time, counted int, stops int) -> (orders int)
CALL tprocc_delivery(
    :w, :carrier, :delivered, :counted, :stops, :orders
)

-- name: call_stock_level(w int, d int, threshold int) -> (low_stock int)
CALL tprocc_stock_level(
    :w, :d, :threshold, :low_stock
)
