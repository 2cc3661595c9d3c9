-- The routines whose statements TimesTen does not know: a sum is not returned by a write, and lists are joined by a
-- loop. The others are those of Oracle.
-- as in oracle: tprocc_new_order, tprocc_payment, tprocc_stock_level

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
    separator VARCHAR2(1);
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
        FOR line IN (
            SELECT ol_i_id, ol_supply_w_id, ol_quantity,
                TO_CHAR(ol_amount, 'FM99999990.00') AS amount,
                TO_CHAR(ol_delivery_d, 'YYYY-MM-DD HH24:MI:SS.FF6') AS delivered
            FROM order_line
            WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = p_order
            ORDER BY ol_number
        ) LOOP
            p_items := p_items || separator || line.ol_i_id;
            p_supplies := p_supplies || separator || line.ol_supply_w_id;
            p_quantities := p_quantities || separator || line.ol_quantity;
            p_amounts := p_amounts || separator || line.amount;
            p_delivered := p_delivered || separator || COALESCE(line.delivered, '-');
            separator := ',';
        END LOOP;
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
            WHERE ol_w_id = p_w AND ol_d_id = district_id AND ol_o_id = open_order;
            SELECT SUM(ol_amount) INTO total
            FROM order_line
            WHERE ol_w_id = p_w AND ol_d_id = district_id AND ol_o_id = open_order;
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
