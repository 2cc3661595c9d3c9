-- HammerDB's five procedures as our specification of them says. What looks odd or slow is meant so: it
-- is what HammerDB's figures are made of. The next line is read by the program.
-- rolls back one order in 99.
--
-- Names of parameters begin with p_, since these servers take a bare name for the parameter and not
-- for the column. Two things are ours, so that nothing is hidden: a new-order that was rolled back
-- gives no order number, and a duplicate key, which none of them meets, is an error.

-- Draws the lines itself. Customer and warehouse are read before the transaction, stock without a
-- lock, and its quantity is written as a constant, so that an update may be lost.

-- routine: neword
CREATE PROCEDURE neword(
    p_w INT, p_max_w INT, p_d INT, p_c INT, p_lines INT, OUT p_discount DECIMAL(4,4),
    OUT p_last VARCHAR(16), OUT p_credit VARCHAR(2), OUT p_d_tax DECIMAL(4,4),
    OUT p_w_tax DECIMAL(4,4), INOUT p_order INT, p_entered DATETIME
)
BEGIN
    DECLARE v_all_local, v_line INT DEFAULT 1;
    DECLARE v_unused, v_item, v_supply, v_quantity, v_stock INT;
    DECLARE v_price DECIMAL(5,2);
    DECLARE v_amount DECIMAL(6,2);
    DECLARE v_name, v_dist VARCHAR(24);
    DECLARE v_item_data, v_stock_data VARCHAR(50);
    DECLARE v_dist_01, v_dist_02, v_dist_03, v_dist_04, v_dist_05 CHAR(24);
    DECLARE v_dist_06, v_dist_07, v_dist_08, v_dist_09, v_dist_10 CHAR(24);
    DECLARE EXIT HANDLER FOR SQLSTATE '23000' BEGIN ROLLBACK; RESIGNAL; END;
    DECLARE EXIT HANDLER FOR NOT FOUND BEGIN ROLLBACK; SET p_order = NULL; END;
    SELECT c_discount, c_last, c_credit, w_tax
    INTO p_discount, p_last, p_credit, p_w_tax
    FROM customer, warehouse
    WHERE w_id = p_w AND c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
    START TRANSACTION;
    SELECT d_next_o_id, d_tax
    INTO p_order, p_d_tax
    FROM district
    WHERE d_id = p_d AND d_w_id = p_w
    FOR UPDATE;
    UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = p_d AND d_w_id = p_w;
    SET v_unused = FLOOR(1 + RAND() * 99);
    WHILE v_line <= p_lines DO
        IF v_line = p_lines AND v_unused = 1 THEN
            SET v_item = 100001;
        ELSE
            SET v_item = FLOOR(1 + RAND() * 100000);
        END IF;
        IF FLOOR(1 + RAND() * 100) > 1 THEN
            SET v_supply = p_w;
        ELSE
            SET v_supply = p_w;
            SET v_all_local = 0;
            WHILE v_supply = p_w AND p_max_w <> 1 DO
                SET v_supply = FLOOR(1 + RAND() * p_max_w);
            END WHILE;
        END IF;
        SET v_quantity = FLOOR(1 + RAND() * 10);
        SELECT i_price, i_name, i_data
        INTO v_price, v_name, v_item_data
        FROM item
        WHERE i_id = v_item;
        SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06,
            s_dist_07, s_dist_08, s_dist_09, s_dist_10
        INTO v_stock, v_stock_data, v_dist_01, v_dist_02, v_dist_03, v_dist_04, v_dist_05, v_dist_06,
            v_dist_07, v_dist_08, v_dist_09, v_dist_10
        FROM stock
        WHERE s_i_id = v_item AND s_w_id = v_supply;
        IF v_stock > v_quantity THEN
            SET v_stock = v_stock - v_quantity;
        ELSE
            SET v_stock = v_stock - v_quantity + 91;
        END IF;
        UPDATE stock SET s_quantity = v_stock WHERE s_i_id = v_item AND s_w_id = v_supply;
        SET v_amount = v_quantity * v_price * (1 + p_w_tax + p_d_tax) * (1 - p_discount);
        CASE p_d
            WHEN 1 THEN SET v_dist = v_dist_01;
            WHEN 2 THEN SET v_dist = v_dist_02;
            WHEN 3 THEN SET v_dist = v_dist_03;
            WHEN 4 THEN SET v_dist = v_dist_04;
            WHEN 5 THEN SET v_dist = v_dist_05;
            WHEN 6 THEN SET v_dist = v_dist_06;
            WHEN 7 THEN SET v_dist = v_dist_07;
            WHEN 8 THEN SET v_dist = v_dist_08;
            WHEN 9 THEN SET v_dist = v_dist_09;
            WHEN 10 THEN SET v_dist = v_dist_10;
        END CASE;
        INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id,
            ol_quantity, ol_amount, ol_dist_info)
        VALUES (p_order, p_d, p_w, v_line, v_item, v_supply, v_quantity, v_amount, v_dist);
        SET v_line = v_line + 1;
    END WHILE;
    INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
    VALUES (p_order, p_d, p_w, p_c, p_entered, p_lines, v_all_local);
    INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (p_order, p_d, p_w);
    COMMIT;
END

-- The amount is added to the balance as it was read. Of n namesakes, in the order of their first
-- names, it takes number n/2 rounded up, plus one, and the last where there are not so many. The note
-- in c_data is cut so that the old text loses twice what the new one takes.

-- routine: payment
CREATE PROCEDURE payment(
    p_w INT, p_d INT, p_c_w INT, p_c_d INT, INOUT p_c INT, p_by_name INT, p_amount DECIMAL(6,2),
    INOUT p_last VARCHAR(16), OUT p_w_street_1 VARCHAR(20), OUT p_w_street_2 VARCHAR(20),
    OUT p_w_city VARCHAR(20), OUT p_w_state CHAR(2), OUT p_w_zip CHAR(9),
    OUT p_d_street_1 VARCHAR(20), OUT p_d_street_2 VARCHAR(20), OUT p_d_city VARCHAR(20),
    OUT p_d_state CHAR(2), OUT p_d_zip CHAR(9), OUT p_first VARCHAR(16), OUT p_middle CHAR(2),
    OUT p_street_1 VARCHAR(20), OUT p_street_2 VARCHAR(20), OUT p_city VARCHAR(20),
    OUT p_state CHAR(2), OUT p_zip CHAR(9), OUT p_phone CHAR(16), OUT p_since DATETIME,
    INOUT p_credit CHAR(2), OUT p_credit_lim DECIMAL(12,2), OUT p_discount DECIMAL(4,4),
    INOUT p_balance DECIMAL(12,2), OUT p_data VARCHAR(500), p_paid DATETIME
)
BEGIN
    DECLARE v_done, v_namesakes, v_fetched INT DEFAULT 0;
    DECLARE v_w_name, v_d_name VARCHAR(11);
    DECLARE v_data VARCHAR(500);
    DECLARE v_note VARCHAR(100);
    DECLARE by_first_name CURSOR FOR
        SELECT c_first, c_middle, c_id, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
            c_credit, c_credit_lim, c_discount, c_balance, c_since
        FROM customer
        WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_last = p_last
        ORDER BY c_first;
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET v_done = 1;
    DECLARE EXIT HANDLER FOR SQLSTATE '23000' BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_w;
    SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name
    INTO p_w_street_1, p_w_street_2, p_w_city, p_w_state, p_w_zip, v_w_name
    FROM warehouse
    WHERE w_id = p_w;
    UPDATE district SET d_ytd = d_ytd + p_amount WHERE d_w_id = p_w AND d_id = p_d;
    SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name
    INTO p_d_street_1, p_d_street_2, p_d_city, p_d_state, p_d_zip, v_d_name
    FROM district
    WHERE d_w_id = p_w AND d_id = p_d;
    IF p_by_name = 1 THEN
        SELECT COUNT(c_id)
        INTO v_namesakes
        FROM customer
        WHERE c_last = p_last AND c_d_id = p_c_d AND c_w_id = p_c_w;
        IF MOD(v_namesakes, 2) = 1 THEN
            SET v_namesakes = v_namesakes + 1;
        END IF;
        OPEN by_first_name;
        WHILE v_fetched <= v_namesakes / 2 DO
            FETCH by_first_name
            INTO p_first, p_middle, p_c, p_street_1, p_street_2, p_city, p_state, p_zip, p_phone,
                p_credit, p_credit_lim, p_discount, p_balance, p_since;
            SET v_fetched = v_fetched + 1;
        END WHILE;
        CLOSE by_first_name;
    ELSE
        SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
            c_credit, c_credit_lim, c_discount, c_balance, c_since
        INTO p_first, p_middle, p_last, p_street_1, p_street_2, p_city, p_state, p_zip, p_phone,
            p_credit, p_credit_lim, p_discount, p_balance, p_since
        FROM customer
        WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = p_c;
    END IF;
    SET p_balance = p_balance + p_amount;
    IF p_credit = 'BC' THEN
        SELECT c_data
        INTO v_data
        FROM customer
        WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = p_c;
        SET v_note = CONCAT(p_c, ' ', p_c_d, ' ', p_c_w, ' ', p_d, ' ', p_w, ' ',
            FORMAT(p_amount, 2), p_paid, v_w_name, ' ', v_d_name);
        SET p_data = SUBSTR(CONCAT(v_note, v_data), 1, 500 - LENGTH(v_note));
        UPDATE customer
        SET c_balance = p_balance, c_data = p_data
        WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = p_c;
    ELSE
        SET p_data = '';
        UPDATE customer
        SET c_balance = p_balance
        WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = p_c;
    END IF;
    INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (p_c_d, p_c_w, p_c, p_d, p_w, p_paid, p_amount, CONCAT(v_w_name, ' ', v_d_name));
    COMMIT;
END

-- The oldest order is the first that the key gives, read without a lock. In a district without one
-- the number of the district before is used again, and that order delivered once more.

-- routine: delivery
CREATE PROCEDURE delivery(p_w INT, p_carrier INT, p_delivered DATETIME)
BEGIN
    DECLARE v_d INT DEFAULT 1;
    DECLARE v_order, v_customer, v_total INT;
    DECLARE EXIT HANDLER FOR SQLSTATE '23000' BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    WHILE v_d <= 10 DO
        SELECT no_o_id INTO v_order FROM new_order WHERE no_w_id = p_w AND no_d_id = v_d LIMIT 1;
        DELETE FROM new_order WHERE no_w_id = p_w AND no_d_id = v_d AND no_o_id = v_order;
        SELECT o_c_id
        INTO v_customer
        FROM orders
        WHERE o_id = v_order AND o_d_id = v_d AND o_w_id = p_w;
        UPDATE orders
        SET o_carrier_id = p_carrier
        WHERE o_id = v_order AND o_d_id = v_d AND o_w_id = p_w;
        UPDATE order_line
        SET ol_delivery_d = p_delivered
        WHERE ol_o_id = v_order AND ol_d_id = v_d AND ol_w_id = p_w;
        SELECT SUM(ol_amount)
        INTO v_total
        FROM order_line
        WHERE ol_o_id = v_order AND ol_d_id = v_d AND ol_w_id = p_w;
        UPDATE customer
        SET c_balance = c_balance + v_total
        WHERE c_id = v_customer AND c_d_id = v_d AND c_w_id = p_w;
        SET v_d = v_d + 1;
    END WHILE;
    COMMIT;
END

-- The customer as in payment. The lines are put together and thrown away.

-- routine: ostat
CREATE PROCEDURE ostat(
    p_w INT, p_d INT, INOUT p_c INT, p_by_name INT, INOUT p_last VARCHAR(16),
    OUT p_first VARCHAR(16), OUT p_middle CHAR(2), OUT p_balance DECIMAL(12,2), OUT p_order INT,
    OUT p_entered DATETIME, OUT p_carrier INT
)
BEGIN
    DECLARE v_done, v_namesakes, v_fetched INT DEFAULT 0;
    DECLARE v_item, v_supply, v_quantity, v_amount INT;
    DECLARE v_delivered DATETIME;
    DECLARE v_items, v_supplies, v_quantities, v_amounts, v_dates VARCHAR(500) DEFAULT '';
    DECLARE by_first_name CURSOR FOR
        SELECT c_balance, c_first, c_middle, c_id
        FROM customer
        WHERE c_last = p_last AND c_d_id = p_d AND c_w_id = p_w
        ORDER BY c_first;
    DECLARE lines_of_order CURSOR FOR
        SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
        FROM order_line
        WHERE ol_o_id = p_order AND ol_d_id = p_d AND ol_w_id = p_w;
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET v_done = 1;
    DECLARE EXIT HANDLER FOR SQLSTATE '23000' BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    IF p_by_name = 1 THEN
        SELECT COUNT(c_id)
        INTO v_namesakes
        FROM customer
        WHERE c_last = p_last AND c_d_id = p_d AND c_w_id = p_w;
        IF MOD(v_namesakes, 2) = 1 THEN
            SET v_namesakes = v_namesakes + 1;
        END IF;
        OPEN by_first_name;
        WHILE v_fetched <= v_namesakes / 2 DO
            FETCH by_first_name INTO p_balance, p_first, p_middle, p_c;
            SET v_fetched = v_fetched + 1;
        END WHILE;
        CLOSE by_first_name;
    ELSE
        SELECT c_balance, c_first, c_middle, c_last
        INTO p_balance, p_first, p_middle, p_last
        FROM customer
        WHERE c_id = p_c AND c_d_id = p_d AND c_w_id = p_w;
    END IF;
    SET v_done = 0;
    SELECT o_id, o_carrier_id, o_entry_d
    INTO p_order, p_carrier, p_entered
    FROM (
        SELECT o_id, o_carrier_id, o_entry_d
        FROM orders
        WHERE o_d_id = p_d AND o_w_id = p_w AND o_c_id = p_c
        ORDER BY o_id DESC
    ) AS latest
    LIMIT 1;
    OPEN lines_of_order;
    REPEAT
        FETCH lines_of_order INTO v_item, v_supply, v_quantity, v_amount, v_delivered;
        IF NOT v_done THEN
            SET v_items = CONCAT(v_items, ',', v_item);
            SET v_supplies = CONCAT(v_supplies, ',', v_supply);
            SET v_quantities = CONCAT(v_quantities, ',', v_quantity);
            SET v_amounts = CONCAT(v_amounts, ',', v_amount);
            SET v_dates = CONCAT(v_dates, ',', v_delivered);
        END IF;
    UNTIL v_done END REPEAT;
    CLOSE lines_of_order;
    COMMIT;
END

-- routine: slev
CREATE PROCEDURE slev(p_w INT, p_d INT, p_threshold INT, OUT p_count INT)
BEGIN
    DECLARE v_next INT;
    DECLARE EXIT HANDLER FOR NOT FOUND ROLLBACK;
    DECLARE EXIT HANDLER FOR SQLSTATE '23000' BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    SELECT d_next_o_id INTO v_next FROM district WHERE d_w_id = p_w AND d_id = p_d;
    SELECT COUNT(DISTINCT s_i_id)
    INTO p_count
    FROM order_line, stock
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id < v_next AND ol_o_id >= v_next - 20
        AND s_w_id = p_w AND s_i_id = ol_i_id AND s_quantity < p_threshold;
    COMMIT;
END
