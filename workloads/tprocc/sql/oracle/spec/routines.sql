-- Our own routines: TPC-C's five transactions. Each is a transaction of its own, gives its results in OUT
-- parameters, and is rolled back and fails when a statement fails, so that nothing is left open. The rows of an
-- order are written by one statement for all of them (FORALL).
--
-- Switches of the workload are parameters: p_counted is 1 if sums and counts are kept, else 0.

-- New-order, clause 2.4.2.2. The lines travel as text such as {5,7} and are taken in their order, so that two
-- new-orders lock stock in one order if their lines are sorted.

-- routine: tprocc_new_order
CREATE PROCEDURE tprocc_new_order (
    p_w IN NUMBER, p_d IN NUMBER, p_c IN NUMBER, p_entered IN TIMESTAMP, p_items IN VARCHAR2,
    p_supplies IN VARCHAR2, p_quantities IN VARCHAR2, p_reserve IN NUMBER, p_counted IN NUMBER,
    p_taxed IN NUMBER, p_order OUT NUMBER, p_w_tax OUT NUMBER, p_d_tax OUT NUMBER,
    p_discount OUT NUMBER, p_last OUT VARCHAR2, p_credit OUT VARCHAR2, p_total OUT NUMBER,
    p_names OUT VARCHAR2, p_prices OUT VARCHAR2, p_stocks OUT VARCHAR2, p_brands OUT VARCHAR2
) AS
    TYPE number_list IS TABLE OF NUMBER INDEX BY PLS_INTEGER;
    TYPE text_list IS TABLE OF VARCHAR2(50) INDEX BY PLS_INTEGER;
    places number_list;
    items number_list;
    supplies number_list;
    quantities number_list;
    remotes number_list;
    amounts number_list;
    stocks number_list;
    item_data text_list;
    stock_data text_list;
    dists text_list;
    line_count PLS_INTEGER;
    price NUMBER;
    item_name VARCHAR2(24);
    description VARCHAR2(50);
    all_local NUMBER := 1;
    unused BOOLEAN := FALSE;

    FUNCTION nth (list IN VARCHAR2, place IN PLS_INTEGER) RETURN NUMBER IS
        inner_list VARCHAR2(600) := ',' || SUBSTR(list, 2, LENGTH(list) - 2) || ',';
        first_digit PLS_INTEGER := INSTR(inner_list, ',', 1, place) + 1;
    BEGIN
        RETURN TO_NUMBER(SUBSTR(
            inner_list, first_digit, INSTR(inner_list, ',', 1, place + 1) - first_digit
        ));
    END;
BEGIN
    SELECT c_discount, c_last, c_credit, w_tax
    INTO p_discount, p_last, p_credit, p_w_tax
    FROM customer, warehouse
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c AND w_id = p_w;
    UPDATE district
    SET d_next_o_id = d_next_o_id + 1
    WHERE d_w_id = p_w AND d_id = p_d
    RETURNING d_next_o_id - 1, d_tax INTO p_order, p_d_tax;
    line_count := LENGTH(p_items) - LENGTH(REPLACE(p_items, ',', '')) + 1;
    p_total := 0;
    FOR i IN 1 .. line_count LOOP
        -- The counter of a FORALL can only be a subscript.
        places(i) := i;
        items(i) := nth(p_items, i);
        supplies(i) := nth(p_supplies, i);
        quantities(i) := nth(p_quantities, i);
        remotes(i) := CASE WHEN supplies(i) = p_w THEN 0 ELSE p_counted END;
        IF supplies(i) <> p_w THEN
            all_local := 0;
        END IF;
        BEGIN
            SELECT i_price, i_name, i_data INTO price, item_name, description
            FROM item
            WHERE i_id = items(i);
            item_data(i) := description;
            p_total := p_total + price * quantities(i);
            p_names := p_names || item_name || ',';
            p_prices := p_prices || TO_CHAR(price, 'FM99999990.00') || ',';
            amounts(i) := price * quantities(i);
            IF p_taxed <> 0 THEN
                amounts(i) := amounts(i) * (1 + p_w_tax + p_d_tax) * (1 - p_discount);
            END IF;
        EXCEPTION
            WHEN NO_DATA_FOUND THEN
                -- Clause 2.4.2.3: an unused item, which only the last line can have.
                unused := TRUE;
                line_count := i - 1;
        END;
        EXIT WHEN unused;
    END LOOP;
    FORALL i IN 1 .. line_count
        UPDATE stock
        SET s_quantity = s_quantity - quantities(i)
                + CASE WHEN s_quantity >= quantities(i) + p_reserve THEN 0 ELSE 91 END,
            s_ytd = s_ytd + p_counted * quantities(i),
            s_order_cnt = s_order_cnt + p_counted,
            s_remote_cnt = s_remote_cnt + remotes(i)
        WHERE s_w_id = supplies(i) AND s_i_id = items(i)
        RETURNING s_quantity, s_data, DECODE(
            p_d, 1, s_dist_01, 2, s_dist_02, 3, s_dist_03, 4, s_dist_04, 5, s_dist_05, 6, s_dist_06,
            7, s_dist_07, 8, s_dist_08, 9, s_dist_09, s_dist_10
        )
        BULK COLLECT INTO stocks, stock_data, dists;
    IF stocks.COUNT <> line_count THEN
        RAISE_APPLICATION_ERROR(-20002, 'an item has no stock');
    END IF;
    FORALL i IN 1 .. line_count
        INSERT INTO order_line (
            ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_amount, ol_supply_w_id, ol_quantity,
            ol_dist_info
        ) VALUES (
            p_w, p_d, p_order, places(i), items(i), ROUND(amounts(i), 2), supplies(i), quantities(i),
            dists(i)
        );
    FOR i IN 1 .. line_count LOOP
        p_stocks := p_stocks || stocks(i) || ',';
        p_brands := p_brands || CASE
            WHEN INSTR(item_data(i), 'ORIGINAL') > 0 AND INSTR(stock_data(i), 'ORIGINAL') > 0 THEN 'B'
            ELSE 'G'
        END;
    END LOOP;
    p_total := ROUND(p_total * (1 - p_discount) * (1 + p_w_tax + p_d_tax), 2);
    IF unused THEN
        ROLLBACK;
        p_order := NULL;
    ELSE
        INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt, o_all_local, o_entry_d)
        VALUES (p_w, p_d, p_order, p_c, line_count, all_local, p_entered);
        INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (p_w, p_d, p_order);
        COMMIT;
    END IF;
EXCEPTION
    WHEN NO_DATA_FOUND THEN
        ROLLBACK;
        RAISE_APPLICATION_ERROR(-20001, 'there is no such customer');
    WHEN OTHERS THEN
        ROLLBACK;
        RAISE;
END;

-- Payment, clause 2.5.2.2. The rows that most others wait for come last: customer, district, warehouse, which
-- is one order for all payments. p_middle is 1 to round the position of the middle customer up, 2 to round it
-- down and take the next.

-- routine: tprocc_payment
CREATE PROCEDURE tprocc_payment (
    p_w IN NUMBER, p_d IN NUMBER, p_c_w IN NUMBER, p_c_d IN NUMBER, p_c IN NUMBER,
    p_by_name IN NUMBER, p_wanted IN VARCHAR2, p_middle IN NUMBER, p_amount IN NUMBER,
    p_change IN NUMBER, p_counted IN NUMBER, p_paid IN TIMESTAMP, p_c_id OUT NUMBER,
    p_w_street_1 OUT VARCHAR2, p_w_street_2 OUT VARCHAR2, p_w_city OUT VARCHAR2,
    p_w_state OUT VARCHAR2, p_w_zip OUT VARCHAR2, p_d_street_1 OUT VARCHAR2,
    p_d_street_2 OUT VARCHAR2, p_d_city OUT VARCHAR2, p_d_state OUT VARCHAR2, p_d_zip OUT VARCHAR2,
    p_first OUT VARCHAR2, p_middle_name OUT VARCHAR2, p_last OUT VARCHAR2, p_street_1 OUT VARCHAR2,
    p_street_2 OUT VARCHAR2, p_city OUT VARCHAR2, p_state OUT VARCHAR2, p_zip OUT VARCHAR2,
    p_phone OUT VARCHAR2, p_since OUT TIMESTAMP, p_credit OUT VARCHAR2, p_credit_lim OUT NUMBER,
    p_discount OUT NUMBER, p_balance OUT NUMBER, p_data OUT VARCHAR2
) AS
    TYPE number_list IS TABLE OF NUMBER INDEX BY PLS_INTEGER;
    namesakes number_list;
    warehouse_name VARCHAR2(10);
    district_name VARCHAR2(10);
BEGIN
    p_c_id := p_c;
    IF p_by_name = 1 THEN
        SELECT c_id BULK COLLECT INTO namesakes
        FROM customer
        WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_last = p_wanted
        ORDER BY c_first, c_id;
        p_c_id := 0;
        IF namesakes.COUNT > 0 THEN
            p_c_id := namesakes(TRUNC((namesakes.COUNT + p_middle) / 2));
        END IF;
    END IF;
    UPDATE customer
    SET c_balance = c_balance + p_change,
        c_ytd_payment = c_ytd_payment + p_counted * p_amount,
        c_payment_cnt = c_payment_cnt + p_counted,
        c_data = CASE c_credit
            WHEN 'BC' THEN SUBSTR(
                c_id || ' ' || p_c_d || ' ' || p_c_w || ' ' || p_d || ' ' || p_w || ' '
                    || TO_CHAR(p_amount, 'FM99999990.00') || ' | ' || c_data,
                1, 500
            )
            ELSE c_data
        END
    WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = p_c_id
    RETURNING c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
        c_since, c_credit, c_credit_lim, c_discount, c_balance,
        CASE c_credit WHEN 'BC' THEN SUBSTR(c_data, 1, 200) ELSE ' ' END
    INTO p_first, p_middle_name, p_last, p_street_1, p_street_2, p_city, p_state, p_zip, p_phone,
        p_since, p_credit, p_credit_lim, p_discount, p_balance, p_data;
    IF SQL%ROWCOUNT = 0 THEN
        RAISE_APPLICATION_ERROR(-20001, 'there is no such customer');
    END IF;
    UPDATE district
    SET d_ytd = d_ytd + p_amount
    WHERE d_w_id = p_w AND d_id = p_d
    RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip
    INTO district_name, p_d_street_1, p_d_street_2, p_d_city, p_d_state, p_d_zip;
    UPDATE warehouse
    SET w_ytd = w_ytd + p_amount
    WHERE w_id = p_w
    RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip
    INTO warehouse_name, p_w_street_1, p_w_street_2, p_w_city, p_w_state, p_w_zip;
    INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (
        p_c_id, p_c_d, p_c_w, p_d, p_w, p_paid, p_amount,
        SUBSTR(warehouse_name || '    ' || district_name, 1, 24)
    );
    COMMIT;
EXCEPTION
    WHEN OTHERS THEN
        ROLLBACK;
        RAISE;
END;

-- Order-status, clause 2.6.2.2. p_own is 0 to look at the order of customer p_c whoever was found.

-- routine: tprocc_order_status
CREATE PROCEDURE tprocc_order_status (
    p_w IN NUMBER, p_d IN NUMBER, p_c IN NUMBER, p_by_name IN NUMBER, p_wanted IN VARCHAR2,
    p_own IN NUMBER, p_c_id OUT NUMBER, p_balance OUT NUMBER, p_first OUT VARCHAR2,
    p_middle_name OUT VARCHAR2, p_last OUT VARCHAR2, p_order OUT NUMBER, p_entered OUT TIMESTAMP,
    p_carrier OUT NUMBER, p_items OUT VARCHAR2, p_supplies OUT VARCHAR2, p_quantities OUT VARCHAR2,
    p_amounts OUT VARCHAR2, p_delivered OUT VARCHAR2
) AS
    TYPE number_list IS TABLE OF NUMBER INDEX BY PLS_INTEGER;
    namesakes number_list;
    orderer NUMBER;
BEGIN
    p_c_id := p_c;
    IF p_by_name = 1 THEN
        SELECT c_id BULK COLLECT INTO namesakes
        FROM customer
        WHERE c_w_id = p_w AND c_d_id = p_d AND c_last = p_wanted
        ORDER BY c_first, c_id;
        p_c_id := 0;
        IF namesakes.COUNT > 0 THEN
            p_c_id := namesakes(TRUNC((namesakes.COUNT + 1) / 2));
        END IF;
    END IF;
    SELECT c_balance, c_first, c_middle, c_last
    INTO p_balance, p_first, p_middle_name, p_last
    FROM customer
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c_id;
    orderer := CASE p_own WHEN 1 THEN p_c_id ELSE p_c END;
    SELECT MAX(o_id) INTO p_order
    FROM orders
    WHERE o_w_id = p_w AND o_d_id = p_d AND o_c_id = orderer;
    IF p_order IS NOT NULL THEN
        SELECT o_entry_d, o_carrier_id INTO p_entered, p_carrier
        FROM orders
        WHERE o_w_id = p_w AND o_d_id = p_d AND o_id = p_order;
        SELECT LISTAGG(ol_i_id, ',') WITHIN GROUP (ORDER BY ol_number),
            LISTAGG(ol_supply_w_id, ',') WITHIN GROUP (ORDER BY ol_number),
            LISTAGG(ol_quantity, ',') WITHIN GROUP (ORDER BY ol_number),
            LISTAGG(TO_CHAR(ol_amount, 'FM99999990.00'), ',') WITHIN GROUP (ORDER BY ol_number),
            LISTAGG(COALESCE(TO_CHAR(ol_delivery_d, 'YYYY-MM-DD HH24:MI:SS.FF6'), '-'), ',')
                WITHIN GROUP (ORDER BY ol_number)
        INTO p_items, p_supplies, p_quantities, p_amounts, p_delivered
        FROM order_line
        WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = p_order;
    END IF;
    COMMIT;
EXCEPTION
    WHEN NO_DATA_FOUND THEN
        ROLLBACK;
        RAISE_APPLICATION_ERROR(-20001, 'there is no such customer');
    WHEN OTHERS THEN
        ROLLBACK;
        RAISE;
END;

-- Delivery, clause 2.7.4.2, one transaction for all ten districts. Of two deliveries the second waits for the
-- row that the first deletes, finds it gone, and looks for the next. p_stops is 1 to end at the first district
-- without an open order.

-- routine: tprocc_delivery
CREATE PROCEDURE tprocc_delivery (
    p_w IN NUMBER, p_carrier IN NUMBER, p_delivered IN TIMESTAMP, p_counted IN NUMBER,
    p_stops IN NUMBER, p_orders OUT NUMBER
) AS
    open_order NUMBER;
    customer_id NUMBER;
    total NUMBER;
    taken BOOLEAN;
BEGIN
    p_orders := 0;
    FOR district_id IN 1 .. 10 LOOP
        taken := FALSE;
        LOOP
            SELECT MIN(no_o_id) INTO open_order
            FROM new_order
            WHERE no_w_id = p_w AND no_d_id = district_id;
            EXIT WHEN open_order IS NULL;
            DELETE FROM new_order
            WHERE no_w_id = p_w AND no_d_id = district_id AND no_o_id = open_order;
            taken := SQL%ROWCOUNT = 1;
            EXIT WHEN taken;
        END LOOP;
        IF taken THEN
            UPDATE orders
            SET o_carrier_id = p_carrier
            WHERE o_w_id = p_w AND o_d_id = district_id AND o_id = open_order
            RETURNING o_c_id INTO customer_id;
            UPDATE order_line
            SET ol_delivery_d = p_delivered
            WHERE ol_w_id = p_w AND ol_d_id = district_id AND ol_o_id = open_order
            RETURNING SUM(ol_amount) INTO total;
            UPDATE customer
            SET c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + p_counted
            WHERE c_w_id = p_w AND c_d_id = district_id AND c_id = customer_id;
            p_orders := p_orders + 1;
        END IF;
        EXIT WHEN NOT taken AND p_stops = 1;
    END LOOP;
    COMMIT;
EXCEPTION
    WHEN OTHERS THEN
        ROLLBACK;
        RAISE;
END;

-- Stock-level, clause 2.8.2.2: the lines of the last twenty orders.

-- routine: tprocc_stock_level
CREATE PROCEDURE tprocc_stock_level (
    p_w IN NUMBER, p_d IN NUMBER, p_threshold IN NUMBER, p_low OUT NUMBER
) AS
    next_order NUMBER;
BEGIN
    SELECT d_next_o_id INTO next_order FROM district WHERE d_w_id = p_w AND d_id = p_d;
    SELECT COUNT(DISTINCT s_i_id) INTO p_low
    FROM order_line, stock
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id >= next_order - 20 AND ol_o_id < next_order
        AND s_w_id = p_w AND s_i_id = ol_i_id AND s_quantity < p_threshold;
    COMMIT;
EXCEPTION
    WHEN OTHERS THEN
        ROLLBACK;
        RAISE;
END;
