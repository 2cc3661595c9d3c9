-- HammerDB's routines as our specification of them says, the same in both kinds: dbms_random,
-- neword, delivery and slev. Payment and ostat differ and have files of their own.
--
-- A line that begins with --functions: or --procedures: is there for that kind only. What looks odd
-- or slow is meant so: it is what HammerDB's figures are made of.

-- A PL/pgSQL function on purpose: its calls are part of the work.

-- routine: dbms_random
CREATE OR REPLACE FUNCTION dbms_random(int, int) RETURNS int
LANGUAGE plpgsql VOLATILE STRICT AS $$
BEGIN
    RETURN trunc(random() * ($2 - $1 + 1) + $1);
END
$$

-- Draws the lines itself. The unused item, one order in a hundred, finds no price and no stock: the
-- order commits with a last line of NULLs. So does an order with the same item and warehouse twice.
-- Lines and amounts are paired by the order in which rows come back. The handler is a
-- subtransaction of its own; in functions it cannot roll back and fails.

-- routine: neword
--functions:  CREATE OR REPLACE FUNCTION neword(
--functions:      w int, max_w int, d int, c int, line_count int, order_id int
--functions:  ) RETURNS numeric
--procedures: CREATE OR REPLACE PROCEDURE neword(
--procedures:     w int, max_w int, d int, c int, line_count int, INOUT discount numeric,
--procedures:     INOUT last_name varchar, INOUT credit varchar, INOUT district_tax numeric,
--procedures:     INOUT warehouse_tax numeric, INOUT order_id int, ts timestamp
--procedures: )
LANGUAGE plpgsql AS $$
DECLARE
--functions:  discount numeric;
--functions:  last_name varchar;
--functions:  credit varchar;
--functions:  district_tax numeric;
--functions:  warehouse_tax numeric;
    unused int;
    all_local smallint := 1;
    total numeric := 0;
    numbers smallint[];
    items int[];
    supplies int[];
    quantities smallint[];
    prices numeric(5,2)[];
    stocks smallint[];
    amounts numeric(6,2)[];
    dist_infos char(24)[];
BEGIN
    SELECT c_discount, c_last, c_credit, w_tax
    INTO discount, last_name, credit, warehouse_tax
    FROM customer, warehouse
    WHERE warehouse.w_id = w
        AND customer.c_w_id = w AND customer.c_d_id = d AND customer.c_id = c;
    unused := dbms_random(1, 100);
    FOR n IN 1 .. line_count LOOP
        IF n = line_count AND unused = 1 THEN
            items[n] := 100001;
        ELSE
            items[n] := dbms_random(1, 100000);
        END IF;
        IF dbms_random(1, 100) > 1 THEN
            supplies[n] := w;
        ELSE
            all_local := 0;
            supplies[n] := 1 + ((w + dbms_random(0, max_w - 1)) % max_w);
        END IF;
        quantities[n] := dbms_random(1, 10);
        numbers[n] := n;
    END LOOP;
    UPDATE district
    SET d_next_o_id = d_next_o_id + 1
    WHERE d_id = d AND d_w_id = w
    RETURNING d_next_o_id - 1, d_tax INTO order_id, district_tax;
    INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
    VALUES (order_id, d, w, c, current_timestamp, line_count, all_local);
    INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (order_id, d, w);
    SELECT array_agg(i_price)
    INTO prices
    FROM unnest(items) AS line (i) LEFT JOIN item ON i_id = line.i;
    IF d = 1 THEN
        WITH taken AS (
            UPDATE stock
            SET s_quantity = CASE WHEN s_quantity < line.q + 10 THEN s_quantity + 91
                ELSE s_quantity END - line.q
            FROM unnest(items, supplies, quantities, prices) AS line (i, s, q, price)
            WHERE s_i_id = line.i AND s_w_id = line.s AND s_w_id = ANY (supplies)
            RETURNING s_dist_01 AS dist_info, s_quantity,
                line.q * line.price * (1 + warehouse_tax + district_tax) * (1 - discount) AS amount
        )
        SELECT array_agg(dist_info), array_agg(s_quantity), array_agg(amount)
        INTO dist_infos, stocks, amounts
        FROM taken;
    ELSIF d = 2 THEN
        WITH taken AS (
            UPDATE stock
            SET s_quantity = CASE WHEN s_quantity < line.q + 10 THEN s_quantity + 91
                ELSE s_quantity END - line.q
            FROM unnest(items, supplies, quantities, prices) AS line (i, s, q, price)
            WHERE s_i_id = line.i AND s_w_id = line.s AND s_w_id = ANY (supplies)
            RETURNING s_dist_02 AS dist_info, s_quantity,
                line.q * line.price * (1 + warehouse_tax + district_tax) * (1 - discount) AS amount
        )
        SELECT array_agg(dist_info), array_agg(s_quantity), array_agg(amount)
        INTO dist_infos, stocks, amounts
        FROM taken;
    ELSIF d = 3 THEN
        WITH taken AS (
            UPDATE stock
            SET s_quantity = CASE WHEN s_quantity < line.q + 10 THEN s_quantity + 91
                ELSE s_quantity END - line.q
            FROM unnest(items, supplies, quantities, prices) AS line (i, s, q, price)
            WHERE s_i_id = line.i AND s_w_id = line.s AND s_w_id = ANY (supplies)
            RETURNING s_dist_03 AS dist_info, s_quantity,
                line.q * line.price * (1 + warehouse_tax + district_tax) * (1 - discount) AS amount
        )
        SELECT array_agg(dist_info), array_agg(s_quantity), array_agg(amount)
        INTO dist_infos, stocks, amounts
        FROM taken;
    ELSIF d = 4 THEN
        WITH taken AS (
            UPDATE stock
            SET s_quantity = CASE WHEN s_quantity < line.q + 10 THEN s_quantity + 91
                ELSE s_quantity END - line.q
            FROM unnest(items, supplies, quantities, prices) AS line (i, s, q, price)
            WHERE s_i_id = line.i AND s_w_id = line.s AND s_w_id = ANY (supplies)
            RETURNING s_dist_04 AS dist_info, s_quantity,
                line.q * line.price * (1 + warehouse_tax + district_tax) * (1 - discount) AS amount
        )
        SELECT array_agg(dist_info), array_agg(s_quantity), array_agg(amount)
        INTO dist_infos, stocks, amounts
        FROM taken;
    ELSIF d = 5 THEN
        WITH taken AS (
            UPDATE stock
            SET s_quantity = CASE WHEN s_quantity < line.q + 10 THEN s_quantity + 91
                ELSE s_quantity END - line.q
            FROM unnest(items, supplies, quantities, prices) AS line (i, s, q, price)
            WHERE s_i_id = line.i AND s_w_id = line.s AND s_w_id = ANY (supplies)
            RETURNING s_dist_05 AS dist_info, s_quantity,
                line.q * line.price * (1 + warehouse_tax + district_tax) * (1 - discount) AS amount
        )
        SELECT array_agg(dist_info), array_agg(s_quantity), array_agg(amount)
        INTO dist_infos, stocks, amounts
        FROM taken;
    ELSIF d = 6 THEN
        WITH taken AS (
            UPDATE stock
            SET s_quantity = CASE WHEN s_quantity < line.q + 10 THEN s_quantity + 91
                ELSE s_quantity END - line.q
            FROM unnest(items, supplies, quantities, prices) AS line (i, s, q, price)
            WHERE s_i_id = line.i AND s_w_id = line.s AND s_w_id = ANY (supplies)
            RETURNING s_dist_06 AS dist_info, s_quantity,
                line.q * line.price * (1 + warehouse_tax + district_tax) * (1 - discount) AS amount
        )
        SELECT array_agg(dist_info), array_agg(s_quantity), array_agg(amount)
        INTO dist_infos, stocks, amounts
        FROM taken;
    ELSIF d = 7 THEN
        WITH taken AS (
            UPDATE stock
            SET s_quantity = CASE WHEN s_quantity < line.q + 10 THEN s_quantity + 91
                ELSE s_quantity END - line.q
            FROM unnest(items, supplies, quantities, prices) AS line (i, s, q, price)
            WHERE s_i_id = line.i AND s_w_id = line.s AND s_w_id = ANY (supplies)
            RETURNING s_dist_07 AS dist_info, s_quantity,
                line.q * line.price * (1 + warehouse_tax + district_tax) * (1 - discount) AS amount
        )
        SELECT array_agg(dist_info), array_agg(s_quantity), array_agg(amount)
        INTO dist_infos, stocks, amounts
        FROM taken;
    ELSIF d = 8 THEN
        WITH taken AS (
            UPDATE stock
            SET s_quantity = CASE WHEN s_quantity < line.q + 10 THEN s_quantity + 91
                ELSE s_quantity END - line.q
            FROM unnest(items, supplies, quantities, prices) AS line (i, s, q, price)
            WHERE s_i_id = line.i AND s_w_id = line.s AND s_w_id = ANY (supplies)
            RETURNING s_dist_08 AS dist_info, s_quantity,
                line.q * line.price * (1 + warehouse_tax + district_tax) * (1 - discount) AS amount
        )
        SELECT array_agg(dist_info), array_agg(s_quantity), array_agg(amount)
        INTO dist_infos, stocks, amounts
        FROM taken;
    ELSIF d = 9 THEN
        WITH taken AS (
            UPDATE stock
            SET s_quantity = CASE WHEN s_quantity < line.q + 10 THEN s_quantity + 91
                ELSE s_quantity END - line.q
            FROM unnest(items, supplies, quantities, prices) AS line (i, s, q, price)
            WHERE s_i_id = line.i AND s_w_id = line.s AND s_w_id = ANY (supplies)
            RETURNING s_dist_09 AS dist_info, s_quantity,
                line.q * line.price * (1 + warehouse_tax + district_tax) * (1 - discount) AS amount
        )
        SELECT array_agg(dist_info), array_agg(s_quantity), array_agg(amount)
        INTO dist_infos, stocks, amounts
        FROM taken;
    ELSIF d = 10 THEN
        WITH taken AS (
            UPDATE stock
            SET s_quantity = CASE WHEN s_quantity < line.q + 10 THEN s_quantity + 91
                ELSE s_quantity END - line.q
            FROM unnest(items, supplies, quantities, prices) AS line (i, s, q, price)
            WHERE s_i_id = line.i AND s_w_id = line.s AND s_w_id = ANY (supplies)
            RETURNING s_dist_10 AS dist_info, s_quantity,
                line.q * line.price * (1 + warehouse_tax + district_tax) * (1 - discount) AS amount
        )
        SELECT array_agg(dist_info), array_agg(s_quantity), array_agg(amount)
        INTO dist_infos, stocks, amounts
        FROM taken;
    END IF;
    INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id,
        ol_quantity, ol_amount, ol_dist_info)
    SELECT order_id, d, w, line.n, line.i, line.s, line.q, line.amount, line.dist_info
    FROM unnest(numbers, items, supplies, quantities, amounts, dist_infos)
        AS line (n, i, s, q, amount, dist_info);
    FOR n IN 1 .. cardinality(amounts) LOOP
        total := total + amounts[n];
    END LOOP;
--functions:  RETURN total;
EXCEPTION
    WHEN serialization_failure OR deadlock_detected OR no_data_found THEN
        ROLLBACK;
END
$$

-- Works all ten districts off in arrays. An empty district adds nothing to them. Of two deliveries
-- at one warehouse the second skips the districts where the first was before it.

-- routine: delivery
--functions:  CREATE OR REPLACE FUNCTION delivery(w int, carrier int) RETURNS int
--procedures: CREATE OR REPLACE PROCEDURE delivery(w int, carrier int, ts timestamp)
LANGUAGE plpgsql AS $$
DECLARE
    wanted smallint[] := ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    districts smallint[];
    taken int[];
    customers int[];
    amounts numeric[];
BEGIN
    WITH gone AS (
        DELETE FROM new_order
        USING unnest(wanted) AS place (d)
        WHERE no_w_id = w AND no_d_id = place.d AND no_o_id = (
            SELECT min(oldest.no_o_id)
            FROM new_order AS oldest
            WHERE oldest.no_w_id = w AND oldest.no_d_id = place.d
        )
        RETURNING no_o_id, no_d_id
    )
    SELECT array_agg(no_o_id), array_agg(no_d_id) INTO taken, districts FROM gone;
    UPDATE orders
    SET o_carrier_id = carrier
    FROM unnest(taken, districts) AS place (o, d)
    WHERE o_w_id = w AND o_d_id = place.d AND o_id = place.o;
    WITH dated AS (
        UPDATE order_line
        SET ol_delivery_d = current_timestamp
        FROM unnest(taken, districts) AS place (o, d)
        WHERE ol_w_id = w AND ol_d_id = place.d AND ol_o_id = place.o
        RETURNING ol_o_id, ol_d_id, ol_amount
    ),
    totals AS (
        SELECT ol_d_id, sum(ol_amount) AS amount,
            (
                SELECT o_c_id
                FROM orders
                WHERE o_w_id = w AND o_d_id = ol_d_id AND o_id = ol_o_id
            ) AS c
        FROM dated
        GROUP BY ol_d_id, ol_o_id
    )
    SELECT array_agg(ol_d_id), array_agg(c), array_agg(amount)
    INTO districts, customers, amounts
    FROM totals;
    UPDATE customer
    SET c_balance = coalesce(c_balance, 0) + paid.amount
    FROM unnest(districts, customers, amounts) AS paid (d, c, amount)
    WHERE c_w_id = w AND c_d_id = paid.d AND c_id = paid.c;
--functions:  RETURN 1;
EXCEPTION
    WHEN serialization_failure OR deadlock_detected OR no_data_found THEN
        ROLLBACK;
END
$$

-- routine: slev
--functions:  CREATE OR REPLACE FUNCTION slev(w int, d int, threshold int) RETURNS int
--procedures: CREATE OR REPLACE PROCEDURE slev(w int, d int, threshold int, INOUT stock_count int)
LANGUAGE plpgsql AS $$
--functions:  DECLARE stock_count int;
BEGIN
    SELECT count(DISTINCT s_i_id)
    INTO stock_count
    FROM order_line, stock, district
    WHERE ol_w_id = w AND ol_d_id = d
        AND d_w_id = w AND d_id = d
        AND ol_o_id < d_next_o_id AND ol_o_id >= d_next_o_id - 20
        AND s_w_id = w AND s_i_id = ol_i_id AND s_quantity < threshold;
--functions:  RETURN stock_count;
--functions:  EXCEPTION
--functions:      WHEN serialization_failure OR deadlock_detected OR no_data_found THEN
--functions:          ROLLBACK;
END
$$
