-- Our own routines: TPC-C's five transactions. Each is a transaction of its own, gives its results
-- as one row, and is rolled back and fails when a statement fails (XACT_ABORT), so that nothing is left
-- open. Every write changes a row by what stands in it and is read back afterwards, so that no lock hint is needed:
-- memory-optimized tables refuse them, and Babelfish leaves them out.
--
-- Switches of the workload are parameters: @counted is 1 if sums and counts are kept, else 0.

-- New-order, clause 2.4.2.2. The lines travel as text such as {5,7} and are taken in their order, so
-- that two new-orders lock stock in one order if their lines are sorted.

-- routine: tprocc_new_order
CREATE PROCEDURE tprocc_new_order
    @w INT, @d INT, @c INT, @entered DATETIME2(6), @items VARCHAR(500), @supplies VARCHAR(500),
    @quantities VARCHAR(500), @reserve INT, @counted INT, @taxed INT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @order INT, @item INT, @supply INT, @quantity INT, @stock INT, @at INT;
    DECLARE @line INT = 0, @all_local INT = 1, @unused INT = 0;
    DECLARE @warehouse_tax DECIMAL(4,4), @district_tax DECIMAL(4,4), @discount DECIMAL(4,4);
    DECLARE @last VARCHAR(16), @credit CHAR(2), @price DECIMAL(5,2), @total DECIMAL(12,2) = 0;
    DECLARE @name VARCHAR(24), @dist VARCHAR(24), @item_data VARCHAR(50), @stock_data VARCHAR(50);
    DECLARE @names VARCHAR(500) = '', @prices VARCHAR(500) = '', @stocks VARCHAR(500) = '';
    DECLARE @brands VARCHAR(50) = '';
    BEGIN TRANSACTION;
    SELECT @discount = c_discount, @last = c_last, @credit = c_credit, @warehouse_tax = w_tax
    FROM customer, warehouse
    WHERE c_w_id = @w AND c_d_id = @d AND c_id = @c AND w_id = @w;
    IF @last IS NULL
    BEGIN
        ROLLBACK TRANSACTION;
        THROW 50001, 'there is no such customer', 1;
    END;
    UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = @w AND d_id = @d;
    SELECT @order = d_next_o_id - 1, @district_tax = d_tax
    FROM district
    WHERE d_w_id = @w AND d_id = @d;
    SET @items = CONCAT(SUBSTRING(@items, 2, LEN(@items) - 2), ',');
    SET @supplies = CONCAT(SUBSTRING(@supplies, 2, LEN(@supplies) - 2), ',');
    SET @quantities = CONCAT(SUBSTRING(@quantities, 2, LEN(@quantities) - 2), ',');
    WHILE @unused = 0 AND LEN(@items) > 0
    BEGIN
        SET @line = @line + 1;
        SET @at = CHARINDEX(',', @items);
        SET @item = CAST(LEFT(@items, @at - 1) AS INT);
        SET @items = SUBSTRING(@items, @at + 1, 500);
        SET @at = CHARINDEX(',', @supplies);
        SET @supply = CAST(LEFT(@supplies, @at - 1) AS INT);
        SET @supplies = SUBSTRING(@supplies, @at + 1, 500);
        SET @at = CHARINDEX(',', @quantities);
        SET @quantity = CAST(LEFT(@quantities, @at - 1) AS INT);
        SET @quantities = SUBSTRING(@quantities, @at + 1, 500);
        IF @supply <> @w SET @all_local = 0;
        SET @price = NULL;
        SELECT @price = i_price, @name = i_name, @item_data = i_data FROM item WHERE i_id = @item;
        IF @price IS NULL SET @unused = 1;
        IF @unused = 0
        BEGIN
            UPDATE stock
            SET s_quantity = s_quantity - @quantity
                    + CASE WHEN s_quantity >= @quantity + @reserve THEN 0 ELSE 91 END,
                s_ytd = s_ytd + @counted * @quantity,
                s_order_cnt = s_order_cnt + @counted,
                s_remote_cnt = s_remote_cnt + CASE WHEN @supply = @w THEN 0 ELSE @counted END
            WHERE s_w_id = @supply AND s_i_id = @item;
            SELECT @stock = s_quantity, @stock_data = s_data,
                @dist = CASE @d
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
            FROM stock
            WHERE s_w_id = @supply AND s_i_id = @item;
            INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_amount,
                ol_supply_w_id, ol_quantity, ol_dist_info)
            VALUES (@w, @d, @order, @line, @item,
                CASE @taxed
                    WHEN 0 THEN @price * @quantity
                    ELSE @price * @quantity * (1 + @warehouse_tax + @district_tax) * (1 - @discount)
                END,
                @supply, @quantity, @dist);
            SET @total = @total + @price * @quantity;
            SET @names = CONCAT(@names, @name, ',');
            SET @prices = CONCAT(@prices, @price, ',');
            SET @stocks = CONCAT(@stocks, @stock, ',');
            SET @brands = CONCAT(@brands,
                CASE
                    WHEN CHARINDEX('ORIGINAL', @item_data) > 0 AND CHARINDEX('ORIGINAL', @stock_data) > 0
                        THEN 'B'
                    ELSE 'G'
                END);
        END;
    END;
    IF @unused = 0
    BEGIN
        INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt, o_all_local, o_entry_d)
        VALUES (@w, @d, @order, @c, @line, @all_local, @entered);
        INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (@w, @d, @order);
        COMMIT TRANSACTION;
    END
    ELSE
    BEGIN
        -- Clause 2.4.2.3: an unused item; all that was done is rolled back.
        ROLLBACK TRANSACTION;
        SET @order = NULL;
    END;
    SELECT @order, @warehouse_tax, @district_tax, @discount, @last, @credit,
        CAST(@total * (1 - @discount) * (1 + @warehouse_tax + @district_tax) AS DECIMAL(12,2)),
        @names, @prices, @stocks, @brands;
END

-- Payment, clause 2.5.2.2. The rows that most others wait for come last: customer, district,
-- warehouse, which is one order for all payments. @middle is 1 to round the position of the middle
-- customer up, 2 to round it down and take the next.

-- routine: tprocc_payment
CREATE PROCEDURE tprocc_payment
    @w INT, @d INT, @c_w INT, @c_d INT, @c INT, @by_name INT, @last_wanted VARCHAR(16),
    @middle INT, @amount DECIMAL(6,2), @change DECIMAL(12,2), @counted INT, @paid DATETIME2(6)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @skipped INT, @found INT;
    BEGIN TRANSACTION;
    IF @by_name = 1
    BEGIN
        SELECT @skipped = (COUNT(*) + @middle) / 2 - 1
        FROM customer
        WHERE c_w_id = @c_w AND c_d_id = @c_d AND c_last = @last_wanted;
        SET @c = 0;
        IF @skipped >= 0
            SELECT @c = c_id
            FROM customer
            WHERE c_w_id = @c_w AND c_d_id = @c_d AND c_last = @last_wanted
            ORDER BY c_first, c_id
            OFFSET @skipped ROWS FETCH NEXT 1 ROWS ONLY;
    END;
    UPDATE customer
    SET c_balance = c_balance + @change,
        c_ytd_payment = c_ytd_payment + @counted * @amount,
        c_payment_cnt = c_payment_cnt + @counted,
        c_data = CASE c_credit
            WHEN 'BC' THEN LEFT(CONCAT(c_id, ' ', @c_d, ' ', @c_w, ' ', @d, ' ', @w, ' ', @amount,
                ' | ', c_data), 500)
            ELSE c_data
        END
    WHERE c_w_id = @c_w AND c_d_id = @c_d AND c_id = @c;
    SET @found = @@ROWCOUNT;
    UPDATE district SET d_ytd = d_ytd + @amount WHERE d_w_id = @w AND d_id = @d;
    UPDATE warehouse SET w_ytd = w_ytd + @amount WHERE w_id = @w;
    INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    SELECT @c, @c_d, @c_w, @d, @w, @paid, @amount, LEFT(CONCAT(w_name, '    ', d_name), 24)
    FROM warehouse, district
    WHERE w_id = @w AND d_w_id = @w AND d_id = @d;
    IF @found = 0
    BEGIN
        ROLLBACK TRANSACTION;
        THROW 50001, 'there is no such customer', 1;
    END;
    SELECT c_id, w_street_1, w_street_2, w_city, w_state, w_zip,
        d_street_1, d_street_2, d_city, d_state, d_zip,
        c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
        c_since, c_credit, c_credit_lim, c_discount, c_balance,
        CASE c_credit WHEN 'BC' THEN LEFT(c_data, 200) ELSE '' END
    FROM customer, district, warehouse
    WHERE c_w_id = @c_w AND c_d_id = @c_d AND c_id = @c
        AND d_w_id = @w AND d_id = @d AND w_id = @w;
    COMMIT TRANSACTION;
END

-- Order-status, clause 2.6.2.2. @own is 0 to look at the order of customer @c whoever was found.

-- routine: tprocc_order_status
CREATE PROCEDURE tprocc_order_status
    @w INT, @d INT, @c INT, @by_name INT, @last_wanted VARCHAR(16), @own INT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @customer INT = @c, @skipped INT, @order INT, @carrier INT;
    DECLARE @entered DATETIME2(6), @balance DECIMAL(12,2);
    DECLARE @first VARCHAR(16), @middle CHAR(2), @last VARCHAR(16);
    BEGIN TRANSACTION;
    IF @by_name = 1
    BEGIN
        SELECT @skipped = (COUNT(*) + 1) / 2 - 1
        FROM customer
        WHERE c_w_id = @w AND c_d_id = @d AND c_last = @last_wanted;
        SET @customer = 0;
        IF @skipped >= 0
            SELECT @customer = c_id
            FROM customer
            WHERE c_w_id = @w AND c_d_id = @d AND c_last = @last_wanted
            ORDER BY c_first, c_id
            OFFSET @skipped ROWS FETCH NEXT 1 ROWS ONLY;
    END;
    SELECT @balance = c_balance, @first = c_first, @middle = c_middle, @last = c_last
    FROM customer
    WHERE c_w_id = @w AND c_d_id = @d AND c_id = @customer;
    IF @last IS NULL
    BEGIN
        ROLLBACK TRANSACTION;
        THROW 50001, 'there is no such customer', 1;
    END;
    SELECT @order = MAX(o_id)
    FROM orders
    WHERE o_w_id = @w AND o_d_id = @d AND o_c_id = CASE @own WHEN 1 THEN @customer ELSE @c END;
    SELECT @entered = o_entry_d, @carrier = o_carrier_id
    FROM orders
    WHERE o_w_id = @w AND o_d_id = @d AND o_id = @order;
    SELECT @customer, @balance, @first, @middle, @last, @order, @entered, @carrier,
        STRING_AGG(CAST(ol_i_id AS VARCHAR(12)), ','),
        STRING_AGG(CAST(ol_supply_w_id AS VARCHAR(12)), ','),
        STRING_AGG(CAST(ol_quantity AS VARCHAR(12)), ','),
        STRING_AGG(CAST(ol_amount AS VARCHAR(12)), ','),
        STRING_AGG(COALESCE(CONVERT(VARCHAR(26), ol_delivery_d, 121), '-'), ',')
    FROM order_line
    WHERE ol_w_id = @w AND ol_d_id = @d AND ol_o_id = @order;
    COMMIT TRANSACTION;
END

-- Delivery, clause 2.7.4.2, one transaction for all ten districts. The oldest open order is locked
-- before it is taken, so that of two deliveries the second waits and takes the next one; where the
-- hint is left out, an order that another delivery has taken is found to be gone, and the next is
-- looked for. @stops is 1 to end at the first district without an open order.

-- routine: tprocc_delivery
CREATE PROCEDURE tprocc_delivery
    @w INT, @carrier INT, @delivered DATETIME2(6), @counted INT, @stops INT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @district INT = 1, @orders INT = 0, @taken INT, @order INT, @customer INT;
    DECLARE @total DECIMAL(12,2);
    BEGIN TRANSACTION;
    WHILE @district <= 10
    BEGIN
        SET @taken = 0;
        SET @order = 0;
        WHILE @taken = 0 AND @order IS NOT NULL
        BEGIN
            SELECT @order = MIN(no_o_id)
            FROM new_order
            WHERE no_w_id = @w AND no_d_id = @district;
            DELETE FROM new_order
            WHERE no_w_id = @w AND no_d_id = @district AND no_o_id = @order;
            SET @taken = @@ROWCOUNT;
        END;
        IF @taken = 1
        BEGIN
            UPDATE orders
            SET o_carrier_id = @carrier
            WHERE o_w_id = @w AND o_d_id = @district AND o_id = @order;
            SELECT @customer = o_c_id
            FROM orders
            WHERE o_w_id = @w AND o_d_id = @district AND o_id = @order;
            UPDATE order_line
            SET ol_delivery_d = @delivered
            WHERE ol_w_id = @w AND ol_d_id = @district AND ol_o_id = @order;
            SELECT @total = SUM(ol_amount)
            FROM order_line
            WHERE ol_w_id = @w AND ol_d_id = @district AND ol_o_id = @order;
            UPDATE customer
            SET c_balance = c_balance + @total, c_delivery_cnt = c_delivery_cnt + @counted
            WHERE c_w_id = @w AND c_d_id = @district AND c_id = @customer;
            SET @orders = @orders + 1;
        END;
        IF @taken = 0 AND @stops = 1 SET @district = 10;
        SET @district = @district + 1;
    END;
    COMMIT TRANSACTION;
    SELECT @orders;
END

-- Stock-level, clause 2.8.2.2: the lines of the last twenty orders.

-- routine: tprocc_stock_level
CREATE PROCEDURE tprocc_stock_level @w INT, @d INT, @threshold INT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @next INT;
    BEGIN TRANSACTION;
    SELECT @next = d_next_o_id FROM district WHERE d_w_id = @w AND d_id = @d;
    SELECT COUNT(DISTINCT s_i_id)
    FROM order_line, stock
    WHERE ol_w_id = @w AND ol_d_id = @d AND ol_o_id >= @next - 20 AND ol_o_id < @next
        AND s_w_id = @w AND s_i_id = ol_i_id AND s_quantity < @threshold;
    COMMIT TRANSACTION;
END
