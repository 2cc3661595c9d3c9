-- The transactions with one statement for all lines of an order, and for all orders of a delivery. Their
-- rows travel as one text such as [[1,77,5,0],[1,901,2,0]], which the server takes for a table. Neither
-- family returns the rows that an UPDATE wrote, so they are read back, all at once.
--
-- STRAIGHT_JOIN: the rows of the text come first, and each finds its own by the key.

-- New-order, clause 2.4.2.2.

-- name: district_advance(w int, d int)
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d

-- name: order_shown(w int, d int, c int) -> (o_id int, d_tax decimal(4), w_tax decimal(4), c_discount decimal(4), c_last text, c_credit text)
SELECT d_next_o_id - 1, d_tax, w_tax, c_discount, c_last, c_credit
FROM district, warehouse, customer
WHERE d_w_id = :w AND d_id = :d AND w_id = :w AND c_w_id = :w AND c_d_id = :d AND c_id = :c

-- lines: supplying warehouse, item, quantity, and 1 if it is a remote one. A row that two lines named
-- would be written once, so an order of such lines goes line by line.
-- name: stock_take_lines(lines text, reserve int, counted int)
UPDATE JSON_TABLE(:lines, '$[*]' COLUMNS (
        w INT PATH '$[0]', i INT PATH '$[1]', q INT PATH '$[2]', remote INT PATH '$[3]'
    )) AS line
    STRAIGHT_JOIN stock ON s_w_id = line.w AND s_i_id = line.i
SET s_quantity = CASE WHEN s_quantity >= line.q + :reserve THEN s_quantity - line.q
        ELSE s_quantity - line.q + 91 END,
    s_ytd = s_ytd + line.q * :counted,
    s_order_cnt = s_order_cnt + :counted,
    s_remote_cnt = s_remote_cnt + line.remote * :counted

-- name: stock_lines(lines text, d int) -> (line int, i_price decimal(2), i_name text, i_data text, s_quantity int, s_data text, dist_info text)
SELECT line.n, i_price, i_name, i_data, s_quantity, s_data,
    CASE :d
        WHEN 1 THEN s_dist_01
        WHEN 2 THEN s_dist_02
        WHEN 3 THEN s_dist_03
        WHEN 4 THEN s_dist_04
        WHEN 5 THEN s_dist_05
        WHEN 6 THEN s_dist_06
        WHEN 7 THEN s_dist_07
        WHEN 8 THEN s_dist_08
        WHEN 9 THEN s_dist_09
        ELSE s_dist_10
    END
FROM JSON_TABLE(:lines, '$[*]' COLUMNS (
        n FOR ORDINALITY, w INT PATH '$[0]', i INT PATH '$[1]'
    )) AS line
    STRAIGHT_JOIN item ON i_id = line.i
    STRAIGHT_JOIN stock ON s_w_id = line.w AND s_i_id = line.i

-- lines: number, item, supplying warehouse, quantity, amount in cents, text of the district.
-- name: order_lines_insert(w int, d int, o int, lines text)
INSERT INTO order_line
    (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_delivery_d, ol_amount, ol_supply_w_id,
     ol_quantity, ol_dist_info)
SELECT :w, :d, :o, line.n, line.i, NULL, line.cents / 100, line.supply, line.q, line.dist_info
FROM JSON_TABLE(:lines, '$[*]' COLUMNS (
        n INT PATH '$[0]', i INT PATH '$[1]', supply INT PATH '$[2]', q INT PATH '$[3]',
        cents INT PATH '$[4]', dist_info CHAR(24) PATH '$[5]'
    )) AS line

-- Payment, clause 2.5.2.2.

-- name: places_pay(w int, d int, amount decimal(2))
UPDATE warehouse STRAIGHT_JOIN district ON d_w_id = w_id
SET w_ytd = w_ytd + :amount, d_ytd = d_ytd + :amount
WHERE w_id = :w AND d_w_id = :w AND d_id = :d

-- name: customer_pay_row(w int, d int, c int, change decimal(2), amount decimal(2), counted int)
UPDATE customer
SET c_balance = c_balance + :change,
    c_ytd_payment = c_ytd_payment + :amount * :counted,
    c_payment_cnt = c_payment_cnt + :counted
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c

-- Only the data of customers of bad credit is wanted.
-- name: payment_shown(w int, d int, c_w int, c_d int, c int) -> (w_name text, w_street_1 text, w_street_2 text, w_city text, w_state text, w_zip text, d_name text, d_street_1 text, d_street_2 text, d_city text, d_state text, d_zip text, c_credit text, c_balance decimal(2), c_discount decimal(4), c_credit_lim decimal(2), c_since time, c_first text, c_middle text, c_last text, c_street_1 text, c_street_2 text, c_city text, c_state text, c_zip text, c_phone text, c_data text)
SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip,
    d_name, d_street_1, d_street_2, d_city, d_state, d_zip,
    c_credit, c_balance, c_discount, c_credit_lim, c_since, c_first, c_middle, c_last,
    c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    CASE c_credit WHEN 'BC' THEN c_data ELSE '' END
FROM warehouse, district, customer
WHERE w_id = :w AND d_w_id = :w AND d_id = :d AND c_w_id = :c_w AND c_d_id = :c_d AND c_id = :c

-- Delivery, clause 2.7.4.2. orders: district and number.

-- A locking read sees what is there and waits for another delivery; see oldest_new_order.
-- name: oldest_new_orders(w int) -> (d int, o int)
(SELECT 1, MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = 1 FOR UPDATE)
UNION ALL (SELECT 2, MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = 2 FOR UPDATE)
UNION ALL (SELECT 3, MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = 3 FOR UPDATE)
UNION ALL (SELECT 4, MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = 4 FOR UPDATE)
UNION ALL (SELECT 5, MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = 5 FOR UPDATE)
UNION ALL (SELECT 6, MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = 6 FOR UPDATE)
UNION ALL (SELECT 7, MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = 7 FOR UPDATE)
UNION ALL (SELECT 8, MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = 8 FOR UPDATE)
UNION ALL (SELECT 9, MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = 9 FOR UPDATE)
UNION ALL (SELECT 10, MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = 10 FOR UPDATE)

-- name: new_orders_delete(w int, orders text)
DELETE new_order
FROM JSON_TABLE(:orders, '$[*]' COLUMNS (d INT PATH '$[0]', o INT PATH '$[1]')) AS open
    STRAIGHT_JOIN new_order ON no_w_id = :w AND no_d_id = open.d AND no_o_id = open.o

-- name: orders_deliver(w int, orders text, carrier int)
UPDATE JSON_TABLE(:orders, '$[*]' COLUMNS (d INT PATH '$[0]', o INT PATH '$[1]')) AS open
    STRAIGHT_JOIN orders ON o_w_id = :w AND o_d_id = open.d AND o_id = open.o
SET o_carrier_id = :carrier

-- name: lines_deliver(w int, orders text, delivered time)
UPDATE JSON_TABLE(:orders, '$[*]' COLUMNS (d INT PATH '$[0]', o INT PATH '$[1]')) AS open
    STRAIGHT_JOIN order_line ON ol_w_id = :w AND ol_d_id = open.d AND ol_o_id = open.o
SET ol_delivery_d = :delivered

-- name: orders_delivered(w int, orders text) -> (d int, c int, total decimal(2))
SELECT open.d, o_c_id, SUM(ol_amount)
FROM JSON_TABLE(:orders, '$[*]' COLUMNS (d INT PATH '$[0]', o INT PATH '$[1]')) AS open
    STRAIGHT_JOIN orders ON o_w_id = :w AND o_d_id = open.d AND o_id = open.o
    STRAIGHT_JOIN order_line ON ol_w_id = :w AND ol_d_id = open.d AND ol_o_id = open.o
GROUP BY open.d, o_c_id
ORDER BY open.d

-- customers: district, number and cents.
-- name: customers_deliver(w int, customers text, counted int)
UPDATE JSON_TABLE(:customers, '$[*]' COLUMNS (
        d INT PATH '$[0]', c INT PATH '$[1]', cents BIGINT PATH '$[2]'
    )) AS paid
    STRAIGHT_JOIN customer ON c_w_id = :w AND c_d_id = paid.d AND c_id = paid.c
SET c_balance = c_balance + paid.cents / 100, c_delivery_cnt = c_delivery_cnt + :counted
