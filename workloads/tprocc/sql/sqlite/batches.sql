-- A list of pairs is a table of values, and nothing is locked: there is one writer at a time.

-- list: stock_lock_@n@(w int, @each i# int@) -> (s_i_id int, s_quantity int, s_data text, s_dist_01 text, s_dist_02 text, s_dist_03 text, s_dist_04 text, s_dist_05 text, s_dist_06 text, s_dist_07 text, s_dist_08 text, s_dist_09 text, s_dist_10 text)
SELECT s_i_id, s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07,
    s_dist_08, s_dist_09, s_dist_10
FROM stock
WHERE s_w_id = :w AND s_i_id IN (@each :i#@)

-- list: open_orders_delete(w int, @each o# int@)
DELETE FROM new_order
WHERE no_w_id = :w AND (no_d_id, no_o_id) IN (VALUES @each (#, :o#)@)

-- list: open_orders_carry(w int, carrier int, @each o# int@)
UPDATE orders
SET o_carrier_id = :carrier
WHERE o_w_id = :w AND (o_d_id, o_id) IN (VALUES @each (#, :o#)@)

-- list: open_orders_read(w int, @each o# int@) -> (o_d_id int, o_c_id int)
SELECT o_d_id, o_c_id FROM orders WHERE o_w_id = :w AND (o_d_id, o_id) IN (VALUES @each (#, :o#)@)

-- list: open_lines_date(w int, delivered time, @each o# int@)
UPDATE order_line
SET ol_delivery_d = :delivered
WHERE ol_w_id = :w AND (ol_d_id, ol_o_id) IN (VALUES @each (#, :o#)@)

-- list: open_lines_sum(w int, @each o# int@) -> (ol_d_id int, total decimal(2))
SELECT ol_d_id, SUM(ol_amount)
FROM order_line
WHERE ol_w_id = :w AND (ol_d_id, ol_o_id) IN (VALUES @each (#, :o#)@)
GROUP BY ol_d_id
