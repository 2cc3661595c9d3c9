INSERT INTO warehouse (w_id, w_ytd, w_tax, w_name, w_street_1, w_street_2, w_city, w_state, w_zip)
VALUES (1, 300000, 0.1, 'W one', 's1', 's2', 'c', 'st', '123411111')
/
INSERT INTO district (d_w_id, d_id, d_ytd, d_tax, d_next_o_id, d_name, d_street_1, d_street_2, d_city, d_state, d_zip)
SELECT 1, n, 30000, 0.05, 3001, 'D ' || n, 's1', 's2', 'c', 'st', '123411111'
FROM UNNEST(SEQUENCE_ARRAY(1, 10, 1)) AS s(n)
/
INSERT INTO item (i_id, i_price, i_name, i_data, i_im_id)
VALUES (5, 10.55, 'five', 'xxORIGINALxx', 1), (7, 3.33, 'seven', 'xx', 1)
/
INSERT INTO stock (s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt, s_data, s_dist_01, s_dist_02,
    s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10)
VALUES (1, 5, 20, 0, 0, 0, 'ORIGINAL', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8', 'd9', 'd10'),
    (2, 7, 50, 0, 0, 0, 'y', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8', 'd9', 'd10')
/
INSERT INTO customer (c_w_id, c_d_id, c_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip,
    c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt,
    c_data)
SELECT 1, 3, n, 'first' || n, 'OE', 'BARBARBAR', 's', 's', 'c', 'st', '123411111', '0123456789012345',
    TIMESTAMP '2026-01-01 00:00:00', CASE n WHEN 2 THEN 'BC' ELSE 'GC' END, 50000, 0.2, -10, 10, 1, 0, 'before'
FROM UNNEST(SEQUENCE_ARRAY(1, 4, 1)) AS s(n)
