-- Our own routines: TPC-C's five transactions, each in as few statements as it takes.
--
-- A line that begins with --functions: or --procedures: is there for that kind only. All results
-- are INOUT parameters, so that both kinds are called alike and give one row.
--
-- Switches of the workload are parameters: counted is 1 if sums and counts are kept, else 0.

-- New-order, clause 2.4.2.2. The lines travel as arrays and are worked off by one statement, in
-- their order, so that two new-orders lock stock in one order if their lines are sorted.
--
-- That statement updates a row of stock once, so of two lines with the same item and warehouse one
-- is left over; it is taken in the next got. A round that takes nothing has met an unused item.

-- routine: tprocc_new_order
--functions:  CREATE OR REPLACE FUNCTION tprocc_new_order(
--procedures: CREATE OR REPLACE PROCEDURE tprocc_new_order(
    w int, d int, c int, entered timestamptz, items int[], supplies int[], quantities int[],
    reserve int, counted int, taxed int,
    INOUT order_id int, INOUT warehouse_tax numeric, INOUT district_tax numeric,
    INOUT discount numeric, INOUT last_name text, INOUT credit text, INOUT total numeric,
    INOUT names text, INOUT prices text, INOUT stocks text, INOUT brands text
)
LANGUAGE plpgsql AS $$
DECLARE
    lines int := cardinality(items);
    done bigint[] := '{}';
    got record;
BEGIN
    SELECT c_discount, c_last, c_credit, w_tax
    INTO discount, last_name, credit, warehouse_tax
    FROM customer, warehouse
    WHERE c_w_id = w AND c_d_id = d AND c_id = c AND w_id = w;
    IF NOT FOUND THEN
        RAISE no_data_found USING MESSAGE = format('there is no customer %s/%s/%s', w, d, c);
    END IF;
    UPDATE district
    SET d_next_o_id = d_next_o_id + 1
    WHERE d_w_id = w AND d_id = d
    RETURNING d_next_o_id - 1, d_tax INTO order_id, district_tax;
    INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt, o_all_local, o_entry_d)
    VALUES (w, d, order_id, c, lines, CASE WHEN w = ALL (supplies) THEN 1 ELSE 0 END, entered);
    INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (w, d, order_id);
    total := 0;
    LOOP
        WITH taken AS (
            UPDATE stock
            SET s_quantity = s_quantity - q
                    + CASE WHEN s_quantity >= q + reserve THEN 0 ELSE 91 END,
                s_ytd = s_ytd + counted * q,
                s_order_cnt = s_order_cnt + counted,
                s_remote_cnt = s_remote_cnt + CASE WHEN s = w THEN 0 ELSE counted END
            FROM unnest(items, supplies, quantities) WITH ORDINALITY AS line (i, s, q, n)
                JOIN item ON i_id = i
            WHERE s_w_id = s AND s_i_id = i AND n <> ALL (done)
            RETURNING n, i, s, q, i_name, i_price, s_quantity,
                CASE d
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
                END AS dist_info,
                CASE
                    WHEN strpos(i_data, 'ORIGINAL') > 0 AND strpos(s_data, 'ORIGINAL') > 0
                        THEN 'B'
                    ELSE 'G'
                END AS brand
        ),
        written AS (
            INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_amount,
                ol_supply_w_id, ol_quantity, ol_dist_info)
            SELECT w, d, order_id, n, i,
                CASE taxed
                    WHEN 0 THEN i_price * q
                    ELSE i_price * q * (1 + warehouse_tax + district_tax) * (1 - discount)
                END,
                s, q, dist_info
            FROM taken
        )
        SELECT array_agg(n) AS numbers, sum(i_price * q) AS price, array_agg(i_name) AS names,
            array_agg(i_price) AS prices, array_agg(s_quantity) AS stocks,
            string_agg(brand, '') AS brands
        INTO got
        FROM taken;
        IF got.numbers IS NULL THEN
            -- Clause 2.4.2.3: all but the line of the unused item was done, and is rolled back. A
            -- function can do that only by failing, with a code of ours that the client knows.
--functions:  RAISE EXCEPTION 'an item is not in use' USING ERRCODE = 'TC001';
--procedures: ROLLBACK; order_id := NULL; RETURN;
        END IF;
        done := done || got.numbers;
        total := total + got.price;
        names := concat(names, got.names);
        prices := concat(prices, got.prices);
        stocks := concat(stocks, got.stocks);
        brands := concat(brands, got.brands);
        EXIT WHEN cardinality(done) = lines;
    END LOOP;
    total := round(total * (1 - discount) * (1 + warehouse_tax + district_tax), 2);
END
$$

-- Payment, clause 2.5.2.2. The rows that most others wait for come last: customer, district,
-- warehouse, which is one order for all payments. middle is 1 to round the position of the middle
-- customer up, 2 to round it down and take the next.

-- routine: tprocc_payment
--functions:  CREATE OR REPLACE FUNCTION tprocc_payment(
--procedures: CREATE OR REPLACE PROCEDURE tprocc_payment(
    w int, d int, c_w int, c_d int, c int, by_name int, last_wanted text, middle int,
    amount numeric, change numeric, counted int, paid timestamptz,
    INOUT customer_id int,
    INOUT warehouse_street_1 text, INOUT warehouse_street_2 text, INOUT warehouse_city text,
    INOUT warehouse_state bpchar, INOUT warehouse_zip bpchar,
    INOUT district_street_1 text, INOUT district_street_2 text, INOUT district_city text,
    INOUT district_state bpchar, INOUT district_zip bpchar,
    INOUT first_name text, INOUT middle_name bpchar, INOUT last_name text,
    INOUT street_1 text, INOUT street_2 text, INOUT city text, INOUT state bpchar, INOUT zip bpchar,
    INOUT phone bpchar, INOUT since timestamptz, INOUT credit bpchar, INOUT credit_limit numeric,
    INOUT discount numeric, INOUT balance numeric, INOUT data text
)
LANGUAGE plpgsql AS $$
DECLARE
    namesakes int[];
    warehouse_name text;
    district_name text;
BEGIN
    customer_id := c;
    IF by_name = 1 THEN
        namesakes := ARRAY(
            SELECT c_id
            FROM customer
            WHERE c_w_id = c_w AND c_d_id = c_d AND c_last = last_wanted
            ORDER BY c_first, c_id
        );
        customer_id := namesakes[(cardinality(namesakes) + middle) / 2];
    END IF;
    UPDATE customer
    SET c_balance = c_balance + change,
        c_ytd_payment = c_ytd_payment + counted * amount,
        c_payment_cnt = c_payment_cnt + counted,
        c_data = CASE c_credit
            WHEN 'BC'
                THEN left(concat_ws(' ', c_id, c_d, c_w, d, w, amount, '|', c_data), 500)
            ELSE c_data
        END
    WHERE c_w_id = c_w AND c_d_id = c_d AND c_id = customer_id
    RETURNING c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
        c_since, c_credit, c_credit_lim, c_discount, c_balance,
        CASE c_credit WHEN 'BC' THEN left(c_data, 200) ELSE '' END
    INTO first_name, middle_name, last_name, street_1, street_2, city, state, zip, phone,
        since, credit, credit_limit, discount, balance, data;
    IF NOT FOUND THEN
        RAISE no_data_found USING
            MESSAGE = format('there is no customer %s/%s/%s %s', c_w, c_d, customer_id, last_wanted);
    END IF;
    UPDATE district
    SET d_ytd = d_ytd + amount
    WHERE d_w_id = w AND d_id = d
    RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip
    INTO district_name, district_street_1, district_street_2, district_city, district_state,
        district_zip;
    UPDATE warehouse
    SET w_ytd = w_ytd + amount
    WHERE w_id = w
    RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip
    INTO warehouse_name, warehouse_street_1, warehouse_street_2, warehouse_city, warehouse_state,
        warehouse_zip;
    INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (customer_id, c_d, c_w, d, w, paid, amount,
        left(concat(warehouse_name, '    ', district_name), 24));
END
$$

-- Order-status, clause 2.6.2.2. own is 0 to look at the order of customer c whoever was found.

-- routine: tprocc_order_status
--functions:  CREATE OR REPLACE FUNCTION tprocc_order_status(
--procedures: CREATE OR REPLACE PROCEDURE tprocc_order_status(
    w int, d int, c int, by_name int, last_wanted text, own int,
    INOUT customer_id int, INOUT balance numeric, INOUT first_name text, INOUT middle_name bpchar,
    INOUT last_name text, INOUT order_id int, INOUT entered timestamptz, INOUT carrier int,
    INOUT items text, INOUT supplies text, INOUT quantities text, INOUT amounts text,
    INOUT delivered text
)
LANGUAGE plpgsql AS $$
DECLARE
    namesakes int[];
BEGIN
    customer_id := c;
    IF by_name = 1 THEN
        namesakes := ARRAY(
            SELECT c_id
            FROM customer
            WHERE c_w_id = w AND c_d_id = d AND c_last = last_wanted
            ORDER BY c_first, c_id
        );
        customer_id := namesakes[(cardinality(namesakes) + 1) / 2];
    END IF;
    SELECT c_balance, c_first, c_middle, c_last
    INTO balance, first_name, middle_name, last_name
    FROM customer
    WHERE c_w_id = w AND c_d_id = d AND c_id = customer_id;
    IF NOT FOUND THEN
        RAISE no_data_found USING
            MESSAGE = format('there is no customer %s/%s/%s %s', w, d, customer_id, last_wanted);
    END IF;
    SELECT o_id, o_entry_d, o_carrier_id
    INTO order_id, entered, carrier
    FROM orders
    WHERE o_w_id = w AND o_d_id = d AND o_c_id = CASE own WHEN 1 THEN customer_id ELSE c END
    ORDER BY o_id DESC
    LIMIT 1;
    SELECT array_agg(ol_i_id), array_agg(ol_supply_w_id), array_agg(ol_quantity),
        array_agg(ol_amount), array_agg(ol_delivery_d)
    INTO items, supplies, quantities, amounts, delivered
    FROM order_line
    WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = order_id;
END
$$

-- Delivery, clause 2.7.4.2: all ten districts in one statement. The oldest open orders are locked
-- before they are taken, so that of two deliveries the second waits and takes the next ones. A search
-- that has waited sees no order that was entered meanwhile, so districts that seem empty and are not
-- are searched again. stops is 1 to end at the first district without an open order.

-- routine: tprocc_delivery
--functions:  CREATE OR REPLACE FUNCTION tprocc_delivery(
--procedures: CREATE OR REPLACE PROCEDURE tprocc_delivery(
    w int, carrier int, delivered timestamptz, counted int, stops int, INOUT orders_delivered int
)
LANGUAGE plpgsql AS $$
DECLARE
    districts int := 10;
    wanted int[];
    served int[];
BEGIN
    IF stops = 1 THEN
        SELECT min(d) - 1
        INTO districts
        FROM generate_series(1, 11) AS d
        WHERE NOT EXISTS (SELECT FROM new_order WHERE no_w_id = w AND no_d_id = d);
    END IF;
    wanted := ARRAY(SELECT generate_series(1, districts));
    orders_delivered := 0;
    LOOP
        WITH oldest AS (
            SELECT open.d, open.o
            FROM unnest(wanted) AS searched (d)
                CROSS JOIN LATERAL (
                    SELECT no_d_id AS d, no_o_id AS o
                    FROM new_order
                    WHERE no_w_id = w AND no_d_id = searched.d
                    ORDER BY no_o_id
                    LIMIT 1
                    FOR UPDATE
                ) open
        ),
        taken AS (
            DELETE FROM new_order
            USING oldest
            WHERE no_w_id = w AND no_d_id = d AND no_o_id = o
            RETURNING d, o
        ),
        carried AS (
            UPDATE orders
            SET o_carrier_id = carrier
            FROM taken
            WHERE o_w_id = w AND o_d_id = d AND o_id = o
            RETURNING d, o_c_id
        ),
        dated AS (
            UPDATE order_line
            SET ol_delivery_d = delivered
            FROM taken
            WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = o
            RETURNING d, ol_amount
        ),
        totals AS (
            SELECT d, sum(ol_amount) AS amount FROM dated GROUP BY d
        ),
        paid AS (
            UPDATE customer
            SET c_balance = c_balance + amount, c_delivery_cnt = c_delivery_cnt + counted
            FROM carried JOIN totals USING (d)
            WHERE c_w_id = w AND c_d_id = d AND c_id = o_c_id
            RETURNING d
        )
        SELECT COALESCE(array_agg(d), '{}')
        INTO served
        FROM paid;
        orders_delivered := orders_delivered + cardinality(served);
        EXIT WHEN orders_delivered >= districts;
        wanted := ARRAY(
            SELECT d
            FROM unnest(wanted) AS d
            WHERE d <> ALL (served)
                AND EXISTS (SELECT FROM new_order WHERE no_w_id = w AND no_d_id = d)
        );
        EXIT WHEN cardinality(wanted) = 0;
    END LOOP;
END
$$

-- Stock-level, clause 2.8.2.2: the lines of the last twenty orders.

-- routine: tprocc_stock_level
--functions:  CREATE OR REPLACE FUNCTION tprocc_stock_level(
--procedures: CREATE OR REPLACE PROCEDURE tprocc_stock_level(
    w int, d int, threshold int, INOUT low_stock int
)
LANGUAGE plpgsql AS $$
DECLARE
    next_order int;
BEGIN
    SELECT d_next_o_id INTO next_order FROM district WHERE d_w_id = w AND d_id = d;
    SELECT count(DISTINCT s_i_id)
    INTO low_stock
    FROM order_line JOIN stock ON s_w_id = w AND s_i_id = ol_i_id
    WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id >= next_order - 20 AND ol_o_id < next_order
        AND s_quantity < threshold;
END
$$
