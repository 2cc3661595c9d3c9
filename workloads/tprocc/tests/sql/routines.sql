-- Questions about single calls.

-- name: balance(c int) -> (c_balance decimal(2), noted int)
SELECT c_balance, CASE WHEN c_data LIKE '% | %' THEN 1 ELSE 0 END
FROM customer
WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = :c

-- name: stock_of_item(i int) -> (s_quantity int, s_ytd int, s_order_cnt int)
SELECT s_quantity, s_ytd, s_order_cnt FROM stock WHERE s_w_id = 1 AND s_i_id = :i

-- name: lines_of_order(o int) -> (ol_number int, ol_i_id int, ol_quantity int, right_amount int)
SELECT ol_number, ol_i_id, ol_quantity, CASE WHEN ol_amount = i_price * ol_quantity THEN 1 ELSE 0 END
FROM order_line JOIN item ON i_id = ol_i_id
WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = :o
ORDER BY ol_number

-- name: next_order() -> (d_next_o_id int)
SELECT d_next_o_id FROM district WHERE d_w_id = 1 AND d_id = 1
