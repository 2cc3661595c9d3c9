-- Our own routines: TPC-C's five transactions. Each is a transaction of its own, gives its results
-- as one row, and rolls back and fails when a statement fails, so that nothing is left open.
--
-- Names of parameters begin with p_, since these servers take a bare name for the parameter and not
-- for the column. Switches of the workload are parameters: p_counted is 1 if sums and counts are
-- kept, else 0.

-- New-order, clause 2.4.2.2. The lines travel as text such as {5,7} and are taken in their order, so
-- that two new-orders lock stock in one order if their lines are sorted. Reading stock locks it: an
-- unlocked read would not see what others have just sold.

-- routine: tprocc_new_order
CREATE PROCEDURE tprocc_new_order(
    p_w INT, p_d INT, p_c INT, p_entered DATETIME(6), p_items TEXT, p_supplies TEXT,
    p_quantities TEXT, p_reserve INT, p_counted INT, p_taxed INT
)
BEGIN
    DECLARE v_order, v_lines, v_item, v_supply, v_quantity, v_stock INT;
    DECLARE v_line, v_all_local INT DEFAULT 1;
    DECLARE v_warehouse_tax, v_district_tax, v_discount DECIMAL(4,4);
    DECLARE v_last VARCHAR(16);
    DECLARE v_credit CHAR(2);
    DECLARE v_price DECIMAL(5,2);
    DECLARE v_total DECIMAL(12,2) DEFAULT 0;
    DECLARE v_name, v_dist VARCHAR(24);
    DECLARE v_item_data, v_stock_data VARCHAR(50);
    DECLARE v_names, v_prices, v_stocks, v_brands VARCHAR(500) DEFAULT '';
    DECLARE v_found BOOLEAN DEFAULT TRUE;
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET v_found = FALSE;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    SELECT c_discount, c_last, c_credit, w_tax, d_tax
    INTO v_discount, v_last, v_credit, v_warehouse_tax, v_district_tax
    FROM customer, warehouse, district
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c AND w_id = p_w
        AND d_w_id = p_w AND d_id = p_d;
    IF NOT v_found THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such customer';
    END IF;
    UPDATE district
    SET d_next_o_id = LAST_INSERT_ID(d_next_o_id) + 1
    WHERE d_w_id = p_w AND d_id = p_d;
    SET v_order = LAST_INSERT_ID();
    SET p_items = SUBSTRING(p_items, 2, CHAR_LENGTH(p_items) - 2);
    SET p_supplies = SUBSTRING(p_supplies, 2, CHAR_LENGTH(p_supplies) - 2);
    SET p_quantities = SUBSTRING(p_quantities, 2, CHAR_LENGTH(p_quantities) - 2);
    SET v_lines = CHAR_LENGTH(p_items) - CHAR_LENGTH(REPLACE(p_items, ',', '')) + 1;
    WHILE v_found AND v_line <= v_lines DO
        SET v_item = SUBSTRING_INDEX(SUBSTRING_INDEX(p_items, ',', v_line), ',', -1);
        SET v_supply = SUBSTRING_INDEX(SUBSTRING_INDEX(p_supplies, ',', v_line), ',', -1);
        SET v_quantity = SUBSTRING_INDEX(SUBSTRING_INDEX(p_quantities, ',', v_line), ',', -1);
        SET v_all_local = v_all_local AND v_supply = p_w;
        SELECT i_price, i_name, i_data
        INTO v_price, v_name, v_item_data
        FROM item
        WHERE i_id = v_item;
        IF v_found THEN
            SELECT s_quantity, s_data,
                CASE p_d
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
            INTO v_stock, v_stock_data, v_dist
            FROM stock
            WHERE s_w_id = v_supply AND s_i_id = v_item
            FOR UPDATE;
            SET v_stock = v_stock - v_quantity
                + IF(v_stock >= v_quantity + p_reserve, 0, 91);
            UPDATE stock
            SET s_quantity = v_stock,
                s_ytd = s_ytd + p_counted * v_quantity,
                s_order_cnt = s_order_cnt + p_counted,
                s_remote_cnt = s_remote_cnt + IF(v_supply = p_w, 0, p_counted)
            WHERE s_w_id = v_supply AND s_i_id = v_item;
            INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_amount,
                ol_supply_w_id, ol_quantity, ol_dist_info)
            VALUES (p_w, p_d, v_order, v_line, v_item,
                IF(p_taxed = 0, v_price * v_quantity,
                    v_price * v_quantity * (1 + v_warehouse_tax + v_district_tax) * (1 - v_discount)),
                v_supply, v_quantity, v_dist);
            SET v_total = v_total + v_price * v_quantity;
            SET v_names = CONCAT(v_names, v_name, ',');
            SET v_prices = CONCAT(v_prices, v_price, ',');
            SET v_stocks = CONCAT(v_stocks, v_stock, ',');
            SET v_brands = CONCAT(v_brands,
                IF(INSTR(v_item_data, 'ORIGINAL') > 0 AND INSTR(v_stock_data, 'ORIGINAL') > 0,
                    'B', 'G'));
        END IF;
        SET v_line = v_line + 1;
    END WHILE;
    IF v_found THEN
        INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt, o_all_local, o_entry_d)
        VALUES (p_w, p_d, v_order, p_c, v_lines, v_all_local, p_entered);
        INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (p_w, p_d, v_order);
        COMMIT;
    ELSE
        -- Clause 2.4.2.3: an unused item; all that was done is rolled back.
        ROLLBACK;
        SET v_order = NULL;
    END IF;
    SELECT v_order, v_warehouse_tax, v_district_tax, v_discount, v_last, v_credit,
        CAST(v_total * (1 - v_discount) * (1 + v_warehouse_tax + v_district_tax) AS DECIMAL(12,2)),
        v_names, v_prices, v_stocks, v_brands;
END

-- Payment, clause 2.5.2.2. The rows that most others wait for come last: customer, district,
-- warehouse, which is one order for all payments. p_middle is 1 to round the position of the middle
-- customer up, 2 to round it down and take the next.

-- routine: tprocc_payment
CREATE PROCEDURE tprocc_payment(
    p_w INT, p_d INT, p_c_w INT, p_c_d INT, p_c INT, p_by_name INT, p_last VARCHAR(16),
    p_middle INT, p_amount DECIMAL(6,2), p_change DECIMAL(12,2), p_counted INT, p_paid DATETIME(6)
)
BEGIN
    DECLARE v_namesakes INT;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    IF p_by_name = 1 THEN
        SELECT COUNT(*)
        INTO v_namesakes
        FROM customer
        WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_last = p_last;
        SET v_namesakes = (v_namesakes + p_middle) DIV 2 - 1;
        SELECT c_id
        INTO p_c
        FROM customer
        WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_last = p_last
        ORDER BY c_first, c_id
        LIMIT v_namesakes, 1;
    END IF;
    UPDATE customer
    SET c_balance = c_balance + p_change,
        c_ytd_payment = c_ytd_payment + p_counted * p_amount,
        c_payment_cnt = c_payment_cnt + p_counted,
        c_data = CASE c_credit
            WHEN 'BC' THEN LEFT(
                CONCAT_WS(' ', c_id, p_c_d, p_c_w, p_d, p_w, p_amount, '|', c_data), 500)
            ELSE c_data
        END
    WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = p_c;
    UPDATE district SET d_ytd = d_ytd + p_amount WHERE d_w_id = p_w AND d_id = p_d;
    UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_w;
    INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    SELECT c_id, p_c_d, p_c_w, p_d, p_w, p_paid, p_amount,
        LEFT(CONCAT(w_name, '    ', d_name), 24)
    FROM customer, district, warehouse
    WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = p_c
        AND d_w_id = p_w AND d_id = p_d AND w_id = p_w;
    IF ROW_COUNT() = 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such customer';
    END IF;
    SELECT c_id, w_street_1, w_street_2, w_city, w_state, w_zip,
        d_street_1, d_street_2, d_city, d_state, d_zip,
        c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
        c_since, c_credit, c_credit_lim, c_discount, c_balance, IF(c_credit = 'BC', LEFT(c_data, 200), '')
    FROM customer, district, warehouse
    WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = p_c
        AND d_w_id = p_w AND d_id = p_d AND w_id = p_w;
    COMMIT;
END

-- Order-status, clause 2.6.2.2. p_own is 0 to look at the order of customer p_c whoever was found.

-- routine: tprocc_order_status
CREATE PROCEDURE tprocc_order_status(
    p_w INT, p_d INT, p_c INT, p_by_name INT, p_last VARCHAR(16), p_own INT
)
BEGIN
    DECLARE v_customer INT DEFAULT p_c;
    DECLARE v_namesakes, v_order, v_carrier INT;
    DECLARE v_entered DATETIME(6);
    DECLARE v_balance DECIMAL(12,2);
    DECLARE v_first, v_found_last VARCHAR(16);
    DECLARE v_middle CHAR(2);
    DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    IF p_by_name = 1 THEN
        SELECT COUNT(*)
        INTO v_namesakes
        FROM customer
        WHERE c_w_id = p_w AND c_d_id = p_d AND c_last = p_last;
        SET v_namesakes = (v_namesakes + 1) DIV 2 - 1;
        SELECT c_id
        INTO v_customer
        FROM customer
        WHERE c_w_id = p_w AND c_d_id = p_d AND c_last = p_last
        ORDER BY c_first, c_id
        LIMIT v_namesakes, 1;
    END IF;
    SELECT c_balance, c_first, c_middle, c_last
    INTO v_balance, v_first, v_middle, v_found_last
    FROM customer
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = v_customer;
    IF v_found_last IS NULL THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such customer';
    END IF;
    SELECT o_id, o_entry_d, o_carrier_id
    INTO v_order, v_entered, v_carrier
    FROM orders
    WHERE o_w_id = p_w AND o_d_id = p_d AND o_c_id = IF(p_own = 1, v_customer, p_c)
    ORDER BY o_id DESC
    LIMIT 1;
    SELECT v_customer, v_balance, v_first, v_middle, v_found_last, v_order, v_entered, v_carrier,
        GROUP_CONCAT(ol_i_id), GROUP_CONCAT(ol_supply_w_id), GROUP_CONCAT(ol_quantity),
        GROUP_CONCAT(ol_amount), GROUP_CONCAT(COALESCE(ol_delivery_d, '-'))
    FROM order_line
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_order;
    COMMIT;
END

-- Delivery, clause 2.7.4.2, one transaction for all ten districts. The oldest open order is locked
-- before it is taken, so that of two deliveries the second waits and takes the next one. p_stops is
-- 1 to end at the first district without an open order.

-- routine: tprocc_delivery
CREATE PROCEDURE tprocc_delivery(
    p_w INT, p_carrier INT, p_delivered DATETIME(6), p_counted INT, p_stops INT
)
BEGIN
    DECLARE v_district INT DEFAULT 1;
    DECLARE v_orders INT DEFAULT 0;
    DECLARE v_order, v_customer INT;
    DECLARE v_total DECIMAL(12,2);
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET v_order = NULL;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    WHILE v_district <= 10 DO
        SELECT no_o_id
        INTO v_order
        FROM new_order
        WHERE no_w_id = p_w AND no_d_id = v_district
        ORDER BY no_o_id
        LIMIT 1
        FOR UPDATE;
        IF v_order IS NOT NULL THEN
            DELETE FROM new_order
            WHERE no_w_id = p_w AND no_d_id = v_district AND no_o_id = v_order;
            UPDATE orders
            SET o_carrier_id = p_carrier, o_c_id = LAST_INSERT_ID(o_c_id)
            WHERE o_w_id = p_w AND o_d_id = v_district AND o_id = v_order;
            SET v_customer = LAST_INSERT_ID();
            UPDATE order_line
            SET ol_delivery_d = p_delivered
            WHERE ol_w_id = p_w AND ol_d_id = v_district AND ol_o_id = v_order;
            SELECT SUM(ol_amount)
            INTO v_total
            FROM order_line
            WHERE ol_w_id = p_w AND ol_d_id = v_district AND ol_o_id = v_order;
            UPDATE customer
            SET c_balance = c_balance + v_total, c_delivery_cnt = c_delivery_cnt + p_counted
            WHERE c_w_id = p_w AND c_d_id = v_district AND c_id = v_customer;
            SET v_orders = v_orders + 1;
        ELSEIF p_stops = 1 THEN
            SET v_district = 10;
        END IF;
        SET v_district = v_district + 1;
    END WHILE;
    COMMIT;
    SELECT v_orders;
END

-- Stock-level, clause 2.8.2.2: the lines of the last twenty orders.

-- routine: tprocc_stock_level
CREATE PROCEDURE tprocc_stock_level(p_w INT, p_d INT, p_threshold INT)
BEGIN
    DECLARE v_next INT;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    SELECT d_next_o_id INTO v_next FROM district WHERE d_w_id = p_w AND d_id = p_d;
    SELECT COUNT(DISTINCT s_i_id)
    FROM order_line JOIN stock ON s_w_id = p_w AND s_i_id = ol_i_id
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id >= v_next - 20 AND ol_o_id < v_next
        AND s_quantity < p_threshold;
    COMMIT;
END
