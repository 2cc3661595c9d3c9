-- 3001|0.1000|0.0500|0.2000|BARBARBAR|BC|115.96|five,seven,|10.55,3.33,|100,47,|BG
CALL tprocc_new_order(1, 3, 2, TIMESTAMP '2026-01-02 03:04:05', '{5,7}', '{1,2}', '{11,3}', 10, 1, 0, ?,?,?,?,?,?,?,?,?,?,?)
/
-- 1|5|1|11|116.05|d3
-- 2|7|2|3|9.99|d3
SELECT ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, TRIM(ol_dist_info) FROM order_line ORDER BY ol_number
/
-- 5|100|11|1|0
-- 7|47|3|1|1
SELECT s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt FROM stock ORDER BY s_i_id
/
-- 3001|2|2|0|3001
SELECT o_id, o_c_id, o_ol_cnt, o_all_local, no_o_id FROM orders, new_order
/
-- ERROR 70000 45000 unhandled user-defined exception
CALL tprocc_new_order(1, 3, 2, TIMESTAMP '2026-01-02 03:04:05', '{5,99}', '{1,1}', '{1,1}', 10, 1, 0, ?,?,?,?,?,?,?,?,?,?,?)
/
-- 3002|2
SELECT d_next_o_id, (SELECT COUNT(*) FROM order_line) FROM district WHERE d_id = 3
/
-- ERROR 75001 there is no such customer
CALL tprocc_new_order(1, 3, 9, TIMESTAMP '2026-01-02 03:04:05', '{5}', '{1}', '{1}', 10, 1, 0, ?,?,?,?,?,?,?,?,?,?,?)
/
-- 3002|0.1000|0.0500|0.2000|BARBARBAR|GC|9.71|five,|10.55,|99,|B
CALL tprocc_new_order(1, 3, 1, TIMESTAMP '2026-01-02 03:04:06', '{5}', '{1}', '{1}', 10, 0, 1, ?,?,?,?,?,?,?,?,?,?,?)
/
-- 9.71
SELECT ol_amount FROM order_line WHERE ol_o_id = 3002
/
-- 2|s1|s2|c|st|123411111|s1|s2|c|st|123411111|first2|OE|BARBARBAR|s|s|c|st|123411111|0123456789012345|2026-01-01 00:00:00.0|BC|50000.00|0.2000|-22.34|2 3 1 3 1 12.34 | before
CALL tprocc_payment(1, 3, 1, 3, 0, 1, 'BARBARBAR', 1, 12.34, -12.34, 1, TIMESTAMP '2026-01-02 03:04:05', ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
/
-- 3|s1|s2|c|st|123411111|s1|s2|c|st|123411111|first3|OE|BARBARBAR|s|s|c|st|123411111|0123456789012345|2026-01-01 00:00:00.0|GC|50000.00|0.2000|-22.34|
CALL tprocc_payment(1, 3, 1, 3, 0, 1, 'BARBARBAR', 2, 12.34, -12.34, 0, TIMESTAMP '2026-01-02 03:04:05', ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
/
-- 1|-10.00|10.00|1|before
-- 2|-22.34|22.34|2|2 3 1 3 1 12.34 | before
-- 3|-22.34|10.00|1|before
-- 4|-10.00|10.00|1|before
SELECT c_id, c_balance, c_ytd_payment, c_payment_cnt, c_data FROM customer ORDER BY c_id
/
-- 2|3|1|12.34|W one    D 3
-- 3|3|1|12.34|W one    D 3
SELECT h_c_id, h_d_id, h_w_id, h_amount, h_data FROM history ORDER BY h_c_id
/
-- ERROR 75001 there is no such customer
CALL tprocc_payment(1, 3, 1, 3, 9, 0, '', 1, 12.34, -12.34, 1, TIMESTAMP '2026-01-02 03:04:05', ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
/
-- 300024.68|30024.68
SELECT w_ytd, d_ytd FROM warehouse, district WHERE d_id = 3
/
-- 2|-22.34|first2|OE|BARBARBAR|3001|2026-01-02 03:04:05.0|null|5,7|1,2|11,3|116.05,9.99|-,-
CALL tprocc_order_status(1, 3, 2, 0, '', 1, ?,?,?,?,?,?,?,?,?,?,?,?,?)
/
-- 1
CALL tprocc_delivery(1, 7, TIMESTAMP '2026-01-03 00:00:00', 1, 0, ?)
/
-- 0
CALL tprocc_delivery(1, 7, TIMESTAMP '2026-01-03 00:00:00', 1, 1, ?)
/
-- 2|103.70|first2|OE|BARBARBAR|3001|2026-01-02 03:04:05.0|7|5,7|1,2|11,3|116.05,9.99|2026-01-03 00:00:00,2026-01-03 00:00:00
CALL tprocc_order_status(1, 3, 1, 1, 'BARBARBAR', 1, ?,?,?,?,?,?,?,?,?,?,?,?,?)
/
-- 1
CALL tprocc_stock_level(1, 3, 100, ?)
/
-- 0
CALL tprocc_stock_level(1, 3, 99, ?)
