-- One damage for each condition, and for partner rows that are missing. Each is applied alone.

-- name: c1()
UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 1

-- name: c2()
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 5

-- A table of its own, because MySQL does not read the table that it deletes from.
-- name: c3()
DELETE FROM new_order
WHERE no_w_id = 1 AND no_d_id = 2
    AND no_o_id = (
        SELECT second
        FROM (
            SELECT MIN(no_o_id) + 1 AS second FROM new_order WHERE no_w_id = 1 AND no_d_id = 2
        ) lowest
    )

-- name: c4()
UPDATE orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_w_id = 2 AND o_d_id = 1 AND o_id = 17

-- name: c5()
UPDATE orders SET o_carrier_id = NULL WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 17

-- The district's sum stays, so that only the orders themselves are wrong.
-- name: c6()
UPDATE orders SET o_ol_cnt = o_ol_cnt + CASE WHEN o_id = 17 THEN 1 ELSE -1 END
WHERE o_w_id = 1 AND o_d_id = 1 AND o_id IN (17, 18)

-- The line was loaded as delivered, with the amount 0.
-- name: c7()
UPDATE order_line SET ol_delivery_d = NULL
WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 17 AND ol_number = 2

-- name: c8()
UPDATE history SET h_w_id = 2
WHERE h_w_id = 1 AND h_d_id = 1 AND h_c_w_id = 1 AND h_c_d_id = 1 AND h_c_id = 17

-- name: c9()
UPDATE history SET h_d_id = 2
WHERE h_w_id = 1 AND h_d_id = 1 AND h_c_w_id = 1 AND h_c_d_id = 1 AND h_c_id = 17

-- name: c10()
UPDATE customer SET c_balance = c_balance + 1, c_ytd_payment = c_ytd_payment - 1
WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 17

-- name: c11()
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1
WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 17

-- name: c12()
UPDATE customer SET c_ytd_payment = c_ytd_payment + 1
WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 17

-- name: no_warehouse()
DELETE FROM warehouse WHERE w_id = 2

-- name: no_district()
DELETE FROM district WHERE d_w_id = 2 AND d_id = 10

-- name: no_order()
DELETE FROM orders WHERE o_w_id = 2 AND o_d_id = 10 AND o_id = 17

-- name: no_lines()
DELETE FROM order_line WHERE ol_w_id = 2 AND ol_d_id = 10 AND ol_o_id = 17

-- The oldest one, so that the numbers stay dense.
-- name: no_new_order()
DELETE FROM new_order
WHERE no_w_id = 1 AND no_d_id = 2
    AND no_o_id = (
        SELECT lowest
        FROM (
            SELECT MIN(no_o_id) AS lowest FROM new_order WHERE no_w_id = 1 AND no_d_id = 2
        ) district
    )

-- name: foreign_new_order()
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 3, 100000)

-- name: no_history()
DELETE FROM history
WHERE h_w_id = 1 AND h_d_id = 1 AND h_c_w_id = 1 AND h_c_d_id = 1 AND h_c_id = 17

-- name: r1()
UPDATE item SET i_price = i_price + 1 WHERE i_id = 77777

-- name: r2()
UPDATE stock SET s_quantity = s_quantity + 1 WHERE s_quantity < 90

-- name: r2_text()
UPDATE stock SET s_dist_07 = s_dist_08

-- name: r3()
UPDATE customer SET c_data = 'x'

-- name: r4()
UPDATE order_line SET ol_amount = ol_amount - 1 WHERE ol_delivery_d IS NULL AND ol_o_id <= 3000

-- name: r4_entered()
UPDATE order_line SET ol_amount = ol_amount - 1 WHERE ol_delivery_d IS NULL AND ol_o_id > 3000
