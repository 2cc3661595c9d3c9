-- HammerDB's payment and order-status as procedures, called as CALL.

-- As the function; the note in c_data has the time and the text of the history too.

-- routine: payment
CREATE OR REPLACE PROCEDURE payment(
    w int, d int, c_w int, c_d int, by_name int, amount numeric, INOUT credit char(2),
    INOUT last_name varchar(16), INOUT c int,
    INOUT warehouse_street_1 varchar(20), INOUT warehouse_street_2 varchar(20),
    INOUT warehouse_city varchar(20), INOUT warehouse_state char(2), INOUT warehouse_zip char(9),
    INOUT district_street_1 varchar(20), INOUT district_street_2 varchar(20),
    INOUT district_city varchar(20), INOUT district_state char(2), INOUT district_zip char(9),
    INOUT first_name varchar(16), INOUT middle_name char(2), INOUT street_1 varchar(20),
    INOUT street_2 varchar(20), INOUT city varchar(20), INOUT state char(2), INOUT zip char(9),
    INOUT phone char(16), INOUT since timestamp, INOUT credit_limit numeric(12,2),
    INOUT discount numeric(4,4), INOUT balance numeric(12,2), INOUT data varchar(500),
    IN ts timestamp
)
LANGUAGE plpgsql AS $$
DECLARE
    namesakes int;
    warehouse_name varchar;
    district_name varchar;
    history_data varchar;
    by_first_name CURSOR FOR
        SELECT c_first, c_middle, c_id, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
            c_credit, c_credit_lim, c_discount, c_balance, c_since
        FROM customer
        WHERE c_w_id = c_w AND c_d_id = c_d AND c_last = last_name
        ORDER BY c_first;
BEGIN
    UPDATE warehouse
    SET w_ytd = w_ytd + amount
    WHERE w_id = w
    RETURNING w_street_1, w_street_2, w_city, w_state, w_zip, w_name
    INTO warehouse_street_1, warehouse_street_2, warehouse_city, warehouse_state, warehouse_zip,
        warehouse_name;
    UPDATE district
    SET d_ytd = d_ytd + amount
    WHERE d_w_id = w AND d_id = d
    RETURNING d_street_1, d_street_2, d_city, d_state, d_zip, d_name
    INTO district_street_1, district_street_2, district_city, district_state, district_zip,
        district_name;
    IF by_name = 1 THEN
        SELECT count(c_last)
        INTO namesakes
        FROM customer
        WHERE c_last = last_name AND c_d_id = c_d AND c_w_id = c_w;
        OPEN by_first_name;
        FOR n IN 1 .. namesakes / 2 LOOP
            FETCH by_first_name
            INTO first_name, middle_name, c, street_1, street_2, city, state, zip, phone, credit,
                credit_limit, discount, balance, since;
        END LOOP;
        CLOSE by_first_name;
    ELSE
        SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
            c_credit, c_credit_lim, c_discount, c_balance, c_since
        INTO first_name, middle_name, last_name, street_1, street_2, city, state, zip, phone,
            credit, credit_limit, discount, balance, since
        FROM customer
        WHERE c_w_id = c_w AND c_d_id = c_d AND c_id = c;
    END IF;
    history_data := warehouse_name || ' ' || district_name;
    IF credit = 'BC' THEN
        UPDATE customer
        SET c_balance = balance - amount,
            c_data = substr(concat(c, ' ', c_d, ' ', c_w, ' ', d, ' ', w, ' ',
                to_char(amount, '9999.99'), ' ', ts, ' ', history_data, ' | ') || c_data, 1, 500)
        WHERE c_w_id = c_w AND c_d_id = c_d AND c_id = c
        RETURNING c_balance, c_data INTO balance, data;
    ELSE
        UPDATE customer
        SET c_balance = balance - amount
        WHERE c_w_id = c_w AND c_d_id = c_d AND c_id = c
        RETURNING c_balance, c_data INTO balance, data;
    END IF;
    INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (c_d, c_w, c, d, w, ts, amount, history_data);
EXCEPTION
    WHEN serialization_failure OR deadlock_detected OR no_data_found THEN
        ROLLBACK;
END
$$

-- As the function, with the lines as one text: a line without a date makes all of it NULL.

-- routine: ostat
CREATE OR REPLACE PROCEDURE ostat(
    w int, d int, INOUT c int, by_name int, INOUT last_name varchar, INOUT first_name varchar,
    INOUT middle_name varchar, INOUT balance numeric, INOUT order_id int, INOUT entered timestamp,
    INOUT carrier int, INOUT lines text DEFAULT ''
)
LANGUAGE plpgsql AS $$
DECLARE
    namesakes int;
    line record;
    by_first_name CURSOR FOR
        SELECT c_balance, c_first, c_middle, c_id
        FROM customer
        WHERE c_last = last_name AND c_d_id = d AND c_w_id = w
        ORDER BY c_first;
BEGIN
    IF by_name = 1 THEN
        SELECT count(c_id)
        INTO namesakes
        FROM customer
        WHERE c_last = last_name AND c_d_id = d AND c_w_id = w;
        IF namesakes % 2 = 1 THEN
            namesakes := namesakes + 1;
        END IF;
        OPEN by_first_name;
        FOR n IN 0 .. namesakes / 2 LOOP
            FETCH by_first_name INTO balance, first_name, middle_name, c;
        END LOOP;
        CLOSE by_first_name;
    ELSE
        SELECT c_balance, c_first, c_middle, c_last
        INTO balance, first_name, middle_name, last_name
        FROM customer
        WHERE c_id = c AND c_d_id = d AND c_w_id = w;
    END IF;
    SELECT o_id, o_carrier_id, o_entry_d
    INTO order_id, carrier, entered
    FROM (
        SELECT o_id, o_carrier_id, o_entry_d
        FROM orders
        WHERE o_d_id = d AND o_w_id = w AND o_c_id = c
        ORDER BY o_id DESC
    ) AS latest
    LIMIT 1;
    FOR line IN
        SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
        FROM order_line
        WHERE ol_o_id = order_id AND ol_d_id = d AND ol_w_id = w
    LOOP
        lines := lines || ',' || line.ol_i_id || ',' || line.ol_supply_w_id || ','
            || line.ol_quantity || ',' || line.ol_amount || ',' || line.ol_delivery_d;
    END LOOP;
EXCEPTION
    WHEN serialization_failure OR deadlock_detected OR no_data_found THEN
        ROLLBACK;
END
$$
