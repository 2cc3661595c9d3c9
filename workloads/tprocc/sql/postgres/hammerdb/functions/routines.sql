-- HammerDB's payment and order-status as functions, called as SELECT.

-- The customer in the middle of n is number n/2 rounded down. Of one customer none is read, and so
-- of none at all: what was passed in then counts, the customer drawn and a balance of 0. The
-- balance is written as read and not added to.

-- routine: payment
CREATE OR REPLACE FUNCTION payment(
    w int, d int, c_w int, c_d int, c int, by_name int, amount numeric, last_name varchar,
    credit varchar, balance numeric
) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
    namesakes int;
    warehouse_name varchar;
    warehouse_street_1 varchar;
    warehouse_street_2 varchar;
    warehouse_city varchar;
    warehouse_state bpchar;
    warehouse_zip bpchar;
    district_name varchar;
    district_street_1 varchar;
    district_street_2 varchar;
    district_city varchar;
    district_state bpchar;
    district_zip bpchar;
    first_name varchar;
    middle_name bpchar;
    street_1 varchar;
    street_2 varchar;
    city varchar;
    state bpchar;
    zip bpchar;
    phone bpchar;
    since timestamptz;
    credit_limit numeric;
    discount numeric;
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
                to_char(amount, '9999.99'), ' | ') || c_data, 1, 500)
        WHERE c_w_id = c_w AND c_d_id = c_d AND c_id = c
        RETURNING c_balance INTO balance;
    ELSE
        UPDATE customer
        SET c_balance = balance - amount
        WHERE c_w_id = c_w AND c_d_id = c_d AND c_id = c
        RETURNING c_balance INTO balance;
    END IF;
    INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (c_d, c_w, c, d, w, current_timestamp, amount, history_data);
    RETURN c;
EXCEPTION
    WHEN serialization_failure OR deadlock_detected OR no_data_found THEN
        ROLLBACK;
END
$$

-- The customer is number n/2 rounded up, plus one; past the end there is none, and then no order.

-- routine: ostat
CREATE OR REPLACE FUNCTION ostat(
    w int, d int, INOUT c int, by_name int, INOUT last_name varchar, OUT first_name varchar,
    OUT middle_name bpchar, OUT balance numeric, OUT order_id int, OUT entered timestamptz,
    OUT carrier smallint, OUT item int, OUT supply int, OUT quantity smallint, OUT amount numeric,
    OUT delivered timestamptz
) RETURNS SETOF record
LANGUAGE plpgsql AS $$
DECLARE
    namesakes int;
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
    RETURN QUERY
        SELECT c, last_name, first_name, middle_name, balance, order_id, entered, carrier, ol_i_id,
            ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
        FROM order_line
        WHERE ol_o_id = order_id AND ol_d_id = d AND ol_w_id = w;
EXCEPTION
    WHEN serialization_failure OR deadlock_detected OR no_data_found THEN
        ROLLBACK;
END
$$
