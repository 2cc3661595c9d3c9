-- Lists of items, of stock and of order lines, one statement for each length of an order; and all districts
-- of a delivery at once. A section with @n@ is written once for each length from 5 to 15, and what stands
-- between @each and @ is repeated, with the number of the line in place of #. A delivery has ten orders.

-- list: items_read_@n@(@each i# int@) -> (i_id int, i_price decimal(2), i_name text, i_data text)
SELECT i_id, i_price, i_name, i_data FROM item WHERE i_id IN (@each :i#@)

-- list: stock_lock_@n@(w int, @each i# int@) -> (s_i_id int, s_quantity int, s_data text, s_dist_01 text, s_dist_02 text, s_dist_03 text, s_dist_04 text, s_dist_05 text, s_dist_06 text, s_dist_07 text, s_dist_08 text, s_dist_09 text, s_dist_10 text)
SELECT s_i_id, s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07,
    s_dist_08, s_dist_09, s_dist_10
FROM stock
WHERE s_w_id = :w AND s_i_id IN (@each :i#@)
FOR UPDATE

-- list: lines_insert_@n@(w int, d int, o int, @each i# int, supply# int, q# int, amount# decimal(2), dist# text@)
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity,
    ol_amount, ol_dist_info)
VALUES @each (:o, :d, :w, #, :i#, :supply#, :q#, :amount#, :dist#)@

-- list: open_orders_delete(w int, @each o# int@)
DELETE FROM new_order
WHERE no_w_id = :w AND (no_d_id, no_o_id) IN (@each (#, :o#)@)

-- list: open_orders_carry(w int, carrier int, @each o# int@)
UPDATE orders
SET o_carrier_id = :carrier
WHERE o_w_id = :w AND (o_d_id, o_id) IN (@each (#, :o#)@)

-- list: open_orders_read(w int, @each o# int@) -> (o_d_id int, o_c_id int)
SELECT o_d_id, o_c_id FROM orders WHERE o_w_id = :w AND (o_d_id, o_id) IN (@each (#, :o#)@)

-- list: open_lines_date(w int, delivered time, @each o# int@)
UPDATE order_line
SET ol_delivery_d = :delivered
WHERE ol_w_id = :w AND (ol_d_id, ol_o_id) IN (@each (#, :o#)@)

-- list: open_lines_sum(w int, @each o# int@) -> (ol_d_id int, total decimal(2))
SELECT ol_d_id, SUM(ol_amount)
FROM order_line
WHERE ol_w_id = :w AND (ol_d_id, ol_o_id) IN (@each (#, :o#)@)
GROUP BY ol_d_id
