-- Our own routines: TPC-C's five transactions. Each is a transaction of its own, gives its results in OUT
-- parameters, and is rolled back and fails when a statement fails, so that nothing is left open. Not run
-- against a live Db2.
--
-- Switches of the workload are parameters: p_counted is 1 if sums and counts are kept, else 0. What a
-- DECIMAL is assigned is cut off and not rounded, so that it is rounded first.

-- New-order, clause 2.4.2.2. The lines travel as text such as {5,7} and are taken in their order, so that two
-- new-orders lock stock in one order if their lines are sorted.

-- routine: tprocc_new_order
CREATE OR REPLACE PROCEDURE tprocc_new_order (
    IN p_w INTEGER, IN p_d INTEGER, IN p_c INTEGER, IN p_entered TIMESTAMP, IN p_items VARCHAR(500),
    IN p_supplies VARCHAR(500), IN p_quantities VARCHAR(500), IN p_reserve INTEGER,
    IN p_counted INTEGER, IN p_taxed INTEGER, OUT p_order INTEGER, OUT p_w_tax DECIMAL(4,4),
    OUT p_d_tax DECIMAL(4,4), OUT p_discount DECIMAL(4,4), OUT p_last VARCHAR(16),
    OUT p_credit CHAR(2), OUT p_total DECIMAL(12,2), OUT p_names VARCHAR(500),
    OUT p_prices VARCHAR(500), OUT p_stocks VARCHAR(500), OUT p_brands VARCHAR(50)
)
LANGUAGE SQL
MODIFIES SQL DATA
BEGIN
    DECLARE v_items VARCHAR(501);
    DECLARE v_supplies VARCHAR(501);
    DECLARE v_quantities VARCHAR(501);
    DECLARE v_at INTEGER;
    DECLARE v_line INTEGER DEFAULT 0;
    DECLARE v_item INTEGER;
    DECLARE v_supply INTEGER;
    DECLARE v_quantity INTEGER;
    DECLARE v_stock INTEGER;
    DECLARE v_all_local INTEGER DEFAULT 1;
    DECLARE v_unused INTEGER DEFAULT 0;
    DECLARE v_price DECIMAL(5,2);
    DECLARE v_sum DECIMAL(12,2) DEFAULT 0;
    DECLARE v_name VARCHAR(24);
    DECLARE v_item_data VARCHAR(50);
    DECLARE v_stock_data VARCHAR(50);
    DECLARE v_dist VARCHAR(24);
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SELECT c_discount, c_last, c_credit, w_tax INTO p_discount, p_last, p_credit, p_w_tax
    FROM customer, warehouse
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c AND w_id = p_w;
    IF p_last IS NULL THEN
        SIGNAL SQLSTATE '75001' SET MESSAGE_TEXT = 'there is no such customer';
    END IF;
    SELECT d_next_o_id - 1, d_tax INTO p_order, p_d_tax
    FROM FINAL TABLE (
        UPDATE district
        SET d_next_o_id = d_next_o_id + 1
        WHERE d_w_id = p_w AND d_id = p_d
    );
    SET v_items = SUBSTR(p_items, 2, LENGTH(p_items) - 2) CONCAT ',';
    SET v_supplies = SUBSTR(p_supplies, 2, LENGTH(p_supplies) - 2) CONCAT ',';
    SET v_quantities = SUBSTR(p_quantities, 2, LENGTH(p_quantities) - 2) CONCAT ',';
    SET p_names = '';
    SET p_prices = '';
    SET p_stocks = '';
    SET p_brands = '';
    WHILE v_unused = 0 AND LENGTH(v_items) > 0 DO
        SET v_line = v_line + 1;
        SET v_at = LOCATE(',', v_items);
        SET v_item = CAST(SUBSTR(v_items, 1, v_at - 1) AS INTEGER);
        SET v_items = SUBSTR(v_items, v_at + 1);
        SET v_at = LOCATE(',', v_supplies);
        SET v_supply = CAST(SUBSTR(v_supplies, 1, v_at - 1) AS INTEGER);
        SET v_supplies = SUBSTR(v_supplies, v_at + 1);
        SET v_at = LOCATE(',', v_quantities);
        SET v_quantity = CAST(SUBSTR(v_quantities, 1, v_at - 1) AS INTEGER);
        SET v_quantities = SUBSTR(v_quantities, v_at + 1);
        IF v_supply <> p_w THEN
            SET v_all_local = 0;
        END IF;
        SET v_price = NULL;
        SELECT i_price, i_name, i_data INTO v_price, v_name, v_item_data
        FROM item
        WHERE i_id = v_item;
        IF v_price IS NULL THEN
            -- Clause 2.4.2.3: an unused item, which only the last line can have.
            SET v_unused = 1;
        ELSE
            SET v_stock = NULL;
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
            FROM FINAL TABLE (
                UPDATE stock
                SET s_quantity = s_quantity - v_quantity
                        + CASE WHEN s_quantity >= v_quantity + p_reserve THEN 0 ELSE 91 END,
                    s_ytd = s_ytd + p_counted * v_quantity,
                    s_order_cnt = s_order_cnt + p_counted,
                    s_remote_cnt = s_remote_cnt + CASE WHEN v_supply = p_w THEN 0 ELSE p_counted END
                WHERE s_w_id = v_supply AND s_i_id = v_item
            );
            IF v_stock IS NULL THEN
                SIGNAL SQLSTATE '75002' SET MESSAGE_TEXT = 'an item has no stock';
            END IF;
            INSERT INTO order_line (
                ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_amount, ol_supply_w_id, ol_quantity,
                ol_dist_info
            ) VALUES (
                p_w, p_d, p_order, v_line, v_item,
                CASE p_taxed
                    WHEN 0 THEN v_price * v_quantity
                    ELSE ROUND(v_price * v_quantity * (1 + p_w_tax + p_d_tax) * (1 - p_discount), 2)
                END,
                v_supply, v_quantity, v_dist
            );
            SET v_sum = v_sum + v_price * v_quantity;
            SET p_names = p_names CONCAT v_name CONCAT ',';
            SET p_prices = p_prices CONCAT CAST(v_price AS VARCHAR(12)) CONCAT ',';
            SET p_stocks = p_stocks CONCAT CAST(v_stock AS VARCHAR(12)) CONCAT ',';
            SET p_brands = p_brands CONCAT CASE
                WHEN LOCATE('ORIGINAL', v_item_data) > 0 AND LOCATE('ORIGINAL', v_stock_data) > 0 THEN 'B'
                ELSE 'G'
            END;
        END IF;
    END WHILE;
    SET p_total = ROUND(v_sum * (1 - p_discount) * (1 + p_w_tax + p_d_tax), 2);
    IF v_unused = 1 THEN
        ROLLBACK;
        SET p_order = NULL;
    ELSE
        INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt, o_all_local, o_entry_d)
        VALUES (p_w, p_d, p_order, p_c, v_line, v_all_local, p_entered);
        INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (p_w, p_d, p_order);
        COMMIT;
    END IF;
END

-- Payment, clause 2.5.2.2. The rows that most others wait for come last: customer, district, warehouse, which
-- is one order for all payments. p_middle is 1 to round the position of the middle customer up, 2 to round it
-- down and take the next.

-- routine: tprocc_payment
CREATE OR REPLACE PROCEDURE tprocc_payment (
    IN p_w INTEGER, IN p_d INTEGER, IN p_c_w INTEGER, IN p_c_d INTEGER, IN p_c INTEGER,
    IN p_by_name INTEGER, IN p_wanted VARCHAR(16), IN p_middle INTEGER, IN p_amount DECIMAL(6,2),
    IN p_change DECIMAL(12,2), IN p_counted INTEGER, IN p_paid TIMESTAMP, OUT p_c_id INTEGER,
    OUT p_w_street_1 VARCHAR(20), OUT p_w_street_2 VARCHAR(20), OUT p_w_city VARCHAR(20),
    OUT p_w_state CHAR(2), OUT p_w_zip CHAR(9), OUT p_d_street_1 VARCHAR(20),
    OUT p_d_street_2 VARCHAR(20), OUT p_d_city VARCHAR(20), OUT p_d_state CHAR(2),
    OUT p_d_zip CHAR(9), OUT p_first VARCHAR(16), OUT p_middle_name CHAR(2), OUT p_last VARCHAR(16),
    OUT p_street_1 VARCHAR(20), OUT p_street_2 VARCHAR(20), OUT p_city VARCHAR(20),
    OUT p_state CHAR(2), OUT p_zip CHAR(9), OUT p_phone CHAR(16), OUT p_since TIMESTAMP,
    OUT p_credit CHAR(2), OUT p_credit_lim DECIMAL(12,2), OUT p_discount DECIMAL(4,4),
    OUT p_balance DECIMAL(12,2), OUT p_data VARCHAR(200)
)
LANGUAGE SQL
MODIFIES SQL DATA
BEGIN
    DECLARE v_warehouse VARCHAR(10);
    DECLARE v_district VARCHAR(10);
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET p_c_id = p_c;
    IF p_by_name = 1 THEN
        SET p_c_id = 0;
        SELECT c_id INTO p_c_id
        FROM (
            SELECT c_id, ROW_NUMBER() OVER (ORDER BY c_first, c_id) AS place, COUNT(*) OVER () AS found
            FROM customer
            WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_last = p_wanted
        ) AS namesakes
        WHERE place = (found + p_middle) / 2;
    END IF;
    SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
        c_since, c_credit, c_credit_lim, c_discount, c_balance,
        CASE c_credit WHEN 'BC' THEN CAST(c_data AS VARCHAR(200)) ELSE '' END
    INTO p_first, p_middle_name, p_last, p_street_1, p_street_2, p_city, p_state, p_zip, p_phone,
        p_since, p_credit, p_credit_lim, p_discount, p_balance, p_data
    FROM FINAL TABLE (
        UPDATE customer
        SET c_balance = c_balance + p_change,
            c_ytd_payment = c_ytd_payment + p_counted * p_amount,
            c_payment_cnt = c_payment_cnt + p_counted,
            c_data = CASE c_credit
                WHEN 'BC' THEN CAST(
                    CAST(c_id AS VARCHAR(12)) CONCAT ' ' CONCAT CAST(p_c_d AS VARCHAR(12)) CONCAT ' '
                        CONCAT CAST(p_c_w AS VARCHAR(12)) CONCAT ' ' CONCAT CAST(p_d AS VARCHAR(12))
                        CONCAT ' ' CONCAT CAST(p_w AS VARCHAR(12)) CONCAT ' '
                        CONCAT CAST(p_amount AS VARCHAR(12)) CONCAT ' | ' CONCAT c_data
                    AS VARCHAR(500)
                )
                ELSE c_data
            END
        WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = p_c_id
    );
    IF p_last IS NULL THEN
        SIGNAL SQLSTATE '75001' SET MESSAGE_TEXT = 'there is no such customer';
    END IF;
    SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip
    INTO v_district, p_d_street_1, p_d_street_2, p_d_city, p_d_state, p_d_zip
    FROM FINAL TABLE (
        UPDATE district
        SET d_ytd = d_ytd + p_amount
        WHERE d_w_id = p_w AND d_id = p_d
    );
    SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip
    INTO v_warehouse, p_w_street_1, p_w_street_2, p_w_city, p_w_state, p_w_zip
    FROM FINAL TABLE (
        UPDATE warehouse
        SET w_ytd = w_ytd + p_amount
        WHERE w_id = p_w
    );
    INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (
        p_c_id, p_c_d, p_c_w, p_d, p_w, p_paid, p_amount,
        CAST(v_warehouse CONCAT '    ' CONCAT v_district AS VARCHAR(24))
    );
    COMMIT;
END

-- Order-status, clause 2.6.2.2. p_own is 0 to look at the order of customer p_c whoever was found.

-- routine: tprocc_order_status
CREATE OR REPLACE PROCEDURE tprocc_order_status (
    IN p_w INTEGER, IN p_d INTEGER, IN p_c INTEGER, IN p_by_name INTEGER, IN p_wanted VARCHAR(16),
    IN p_own INTEGER, OUT p_c_id INTEGER, OUT p_balance DECIMAL(12,2), OUT p_first VARCHAR(16),
    OUT p_middle_name CHAR(2), OUT p_last VARCHAR(16), OUT p_order INTEGER, OUT p_entered TIMESTAMP,
    OUT p_carrier INTEGER, OUT p_items VARCHAR(500), OUT p_supplies VARCHAR(500),
    OUT p_quantities VARCHAR(500), OUT p_amounts VARCHAR(500), OUT p_delivered VARCHAR(500)
)
LANGUAGE SQL
MODIFIES SQL DATA
BEGIN
    DECLARE v_orderer INTEGER;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET p_c_id = p_c;
    IF p_by_name = 1 THEN
        SET p_c_id = 0;
        SELECT c_id INTO p_c_id
        FROM (
            SELECT c_id, ROW_NUMBER() OVER (ORDER BY c_first, c_id) AS place, COUNT(*) OVER () AS found
            FROM customer
            WHERE c_w_id = p_w AND c_d_id = p_d AND c_last = p_wanted
        ) AS namesakes
        WHERE place = (found + 1) / 2;
    END IF;
    SELECT c_balance, c_first, c_middle, c_last INTO p_balance, p_first, p_middle_name, p_last
    FROM customer
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c_id;
    IF p_last IS NULL THEN
        SIGNAL SQLSTATE '75001' SET MESSAGE_TEXT = 'there is no such customer';
    END IF;
    SET v_orderer = CASE p_own WHEN 1 THEN p_c_id ELSE p_c END;
    SELECT MAX(o_id) INTO p_order
    FROM orders
    WHERE o_w_id = p_w AND o_d_id = p_d AND o_c_id = v_orderer;
    IF p_order IS NOT NULL THEN
        SELECT o_entry_d, o_carrier_id INTO p_entered, p_carrier
        FROM orders
        WHERE o_w_id = p_w AND o_d_id = p_d AND o_id = p_order;
        SELECT LISTAGG(CAST(ol_i_id AS VARCHAR(12)), ',') WITHIN GROUP (ORDER BY ol_number),
            LISTAGG(CAST(ol_supply_w_id AS VARCHAR(12)), ',') WITHIN GROUP (ORDER BY ol_number),
            LISTAGG(CAST(ol_quantity AS VARCHAR(12)), ',') WITHIN GROUP (ORDER BY ol_number),
            LISTAGG(CAST(ol_amount AS VARCHAR(12)), ',') WITHIN GROUP (ORDER BY ol_number),
            LISTAGG(COALESCE(TO_CHAR(ol_delivery_d, 'YYYY-MM-DD HH24:MI:SS'), '-'), ',')
                WITHIN GROUP (ORDER BY ol_number)
        INTO p_items, p_supplies, p_quantities, p_amounts, p_delivered
        FROM order_line
        WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = p_order;
    END IF;
    COMMIT;
END

-- Delivery, clause 2.7.4.2, one transaction for all ten districts. Of two deliveries the second waits for the
-- row that the first deletes, finds it gone, and looks for the next. p_stops is 1 to end at the first district
-- without an open order.

-- routine: tprocc_delivery
CREATE OR REPLACE PROCEDURE tprocc_delivery (
    IN p_w INTEGER, IN p_carrier INTEGER, IN p_delivered TIMESTAMP, IN p_counted INTEGER,
    IN p_stops INTEGER, OUT p_orders INTEGER
)
LANGUAGE SQL
MODIFIES SQL DATA
BEGIN
    DECLARE v_district INTEGER DEFAULT 1;
    DECLARE v_taken INTEGER;
    DECLARE v_order INTEGER;
    DECLARE v_customer INTEGER;
    DECLARE v_total DECIMAL(12,2);
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET p_orders = 0;
    WHILE v_district <= 10 DO
        SET v_taken = 0;
        SET v_order = 0;
        WHILE v_taken = 0 AND v_order IS NOT NULL DO
            SELECT MIN(no_o_id) INTO v_order
            FROM new_order
            WHERE no_w_id = p_w AND no_d_id = v_district;
            IF v_order IS NOT NULL THEN
                DELETE FROM new_order
                WHERE no_w_id = p_w AND no_d_id = v_district AND no_o_id = v_order;
                GET DIAGNOSTICS v_taken = ROW_COUNT;
            END IF;
        END WHILE;
        IF v_taken = 1 THEN
            SELECT o_c_id INTO v_customer
            FROM FINAL TABLE (
                UPDATE orders
                SET o_carrier_id = p_carrier
                WHERE o_w_id = p_w AND o_d_id = v_district AND o_id = v_order
            );
            SELECT SUM(ol_amount) INTO v_total
            FROM FINAL TABLE (
                UPDATE order_line
                SET ol_delivery_d = p_delivered
                WHERE ol_w_id = p_w AND ol_d_id = v_district AND ol_o_id = v_order
            );
            UPDATE customer
            SET c_balance = c_balance + v_total, c_delivery_cnt = c_delivery_cnt + p_counted
            WHERE c_w_id = p_w AND c_d_id = v_district AND c_id = v_customer;
            SET p_orders = p_orders + 1;
        ELSEIF p_stops = 1 THEN
            SET v_district = 10;
        END IF;
        SET v_district = v_district + 1;
    END WHILE;
    COMMIT;
END

-- Stock-level, clause 2.8.2.2: the lines of the last twenty orders.

-- routine: tprocc_stock_level
CREATE OR REPLACE PROCEDURE tprocc_stock_level (
    IN p_w INTEGER, IN p_d INTEGER, IN p_threshold INTEGER, OUT p_low INTEGER
)
LANGUAGE SQL
MODIFIES SQL DATA
BEGIN
    DECLARE v_next INTEGER;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SELECT d_next_o_id INTO v_next FROM district WHERE d_w_id = p_w AND d_id = p_d;
    SELECT COUNT(DISTINCT s_i_id) INTO p_low
    FROM order_line, stock
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id >= v_next - 20 AND ol_o_id < v_next
        AND s_w_id = p_w AND s_i_id = ol_i_id AND s_quantity < p_threshold;
    COMMIT;
END
