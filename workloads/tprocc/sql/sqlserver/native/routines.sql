-- Our own routines as natively compiled procedures on memory-optimized tables: the same transactions with the same
-- parameters as in spec/routines.sql. An atomic block is a transaction of its own; an error that leaves it rolls it
-- back. The language of such procedures has no CONCAT, LEFT, CHARINDEX, LIKE, COALESCE, STRING_AGG, OFFSET, and no
-- conversion between NVARCHAR and VARCHAR; an INSERT names all columns; tables are named with their schema.

-- New-order, clause 2.4.2.2. The procedure cannot end its transaction, so that an unused item is error 50002.

-- routine: tprocc_new_order
CREATE PROCEDURE tprocc_new_order
    @w INT, @d INT, @c INT, @entered DATETIME2(6), @items NVARCHAR(500), @supplies NVARCHAR(500),
    @quantities NVARCHAR(500), @reserve INT, @counted INT, @taxed INT
WITH NATIVE_COMPILATION, SCHEMABINDING
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @order INT, @item INT, @supply INT, @quantity INT, @stock INT, @at INT;
    DECLARE @line INT = 0, @all_local INT = 1;
    DECLARE @warehouse_tax DECIMAL(4,4), @district_tax DECIMAL(4,4), @discount DECIMAL(4,4);
    DECLARE @last NVARCHAR(16), @credit NCHAR(2), @price DECIMAL(5,2), @total DECIMAL(12,2) = 0;
    DECLARE @name NVARCHAR(24), @dist NCHAR(24), @item_data NVARCHAR(50), @stock_data NVARCHAR(50);
    DECLARE @names NVARCHAR(500), @prices NVARCHAR(500), @stocks NVARCHAR(500);
    DECLARE @brand NCHAR(1), @brands NVARCHAR(50);
    SELECT @discount = c_discount, @last = c_last, @credit = c_credit, @warehouse_tax = w_tax
    FROM dbo.customer
    INNER JOIN dbo.warehouse ON w_id = c_w_id
    WHERE c_w_id = @w AND c_d_id = @d AND c_id = @c;
    IF @last IS NULL THROW 50001, N'there is no such customer', 1;
    UPDATE dbo.district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = @w AND d_id = @d;
    SELECT @order = d_next_o_id - 1, @district_tax = d_tax
    FROM dbo.district
    WHERE d_w_id = @w AND d_id = @d;
    SET @items = SUBSTRING(@items, 2, LEN(@items) - 2) + N',';
    SET @supplies = SUBSTRING(@supplies, 2, LEN(@supplies) - 2) + N',';
    SET @quantities = SUBSTRING(@quantities, 2, LEN(@quantities) - 2) + N',';
    WHILE LEN(@items) > 0
    BEGIN
        SET @line = @line + 1;
        SET @at = 1;
        WHILE SUBSTRING(@items, @at, 1) <> N',' SET @at = @at + 1;
        SET @item = CAST(SUBSTRING(@items, 1, @at - 1) AS INT);
        SET @items = SUBSTRING(@items, @at + 1, 500);
        SET @at = 1;
        WHILE SUBSTRING(@supplies, @at, 1) <> N',' SET @at = @at + 1;
        SET @supply = CAST(SUBSTRING(@supplies, 1, @at - 1) AS INT);
        SET @supplies = SUBSTRING(@supplies, @at + 1, 500);
        SET @at = 1;
        WHILE SUBSTRING(@quantities, @at, 1) <> N',' SET @at = @at + 1;
        SET @quantity = CAST(SUBSTRING(@quantities, 1, @at - 1) AS INT);
        SET @quantities = SUBSTRING(@quantities, @at + 1, 500);
        IF @supply <> @w SET @all_local = 0;
        SET @price = NULL;
        SELECT @price = i_price, @name = i_name, @item_data = i_data FROM dbo.item WHERE i_id = @item;
        -- Clause 2.4.2.3: all that was done is rolled back.
        IF @price IS NULL THROW 50002, N'the order is rolled back for an unused item', 1;
        UPDATE dbo.stock
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
        FROM dbo.stock
        WHERE s_w_id = @supply AND s_i_id = @item;
        INSERT INTO dbo.order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_delivery_d, ol_amount,
            ol_supply_w_id, ol_quantity, ol_dist_info)
        VALUES (@w, @d, @order, @line, @item, NULL,
            CASE @taxed
                WHEN 0 THEN @price * @quantity
                ELSE @price * @quantity * (1 + @warehouse_tax + @district_tax) * (1 - @discount)
            END,
            @supply, @quantity, @dist);
        SET @total = @total + @price * @quantity;
        SET @names = CONCAT_WS(N',', @names, @name);
        SET @prices = CONCAT_WS(N',', @prices, @price);
        SET @stocks = CONCAT_WS(N',', @stocks, @stock);
        SET @brand = N'G';
        SET @at = 1;
        WHILE @at <= LEN(@item_data) - 7 AND SUBSTRING(@item_data, @at, 8) <> N'ORIGINAL' SET @at = @at + 1;
        IF @at <= LEN(@item_data) - 7
        BEGIN
            SET @at = 1;
            WHILE @at <= LEN(@stock_data) - 7 AND SUBSTRING(@stock_data, @at, 8) <> N'ORIGINAL'
                SET @at = @at + 1;
            IF @at <= LEN(@stock_data) - 7 SET @brand = N'B';
        END;
        SET @brands = CONCAT_WS(N'', @brands, @brand);
    END;
    INSERT INTO dbo.orders (o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt, o_all_local, o_entry_d)
    VALUES (@w, @d, @order, @c, NULL, @line, @all_local, @entered);
    INSERT INTO dbo.new_order (no_w_id, no_d_id, no_o_id) VALUES (@w, @d, @order);
    SELECT @order AS order_id, @warehouse_tax AS w_tax, @district_tax AS d_tax, @discount AS c_discount,
        @last AS c_last, @credit AS c_credit,
        CAST(@total * (1 - @discount) * (1 + @warehouse_tax + @district_tax) AS DECIMAL(12,2)) AS total,
        @names AS names, @prices AS prices, @stocks AS stocks, @brands AS brands
    FROM dbo.warehouse
    WHERE w_id = @w;
END

-- Payment, clause 2.5.2.2. @middle is 1 to round the position of the middle customer up, 2 to round it down and take
-- the next.

-- routine: tprocc_payment
CREATE PROCEDURE tprocc_payment
    @w INT, @d INT, @c_w INT, @c_d INT, @c INT, @by_name INT, @last_wanted NVARCHAR(16),
    @middle INT, @amount DECIMAL(6,2), @change DECIMAL(12,2), @counted INT, @paid DATETIME2(6)
WITH NATIVE_COMPILATION, SCHEMABINDING
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @position INT;
    IF @by_name = 1
    BEGIN
        SELECT @position = (COUNT(*) + @middle) / 2
        FROM dbo.customer
        WHERE c_w_id = @c_w AND c_d_id = @c_d AND c_last = @last_wanted;
        SET @c = 0;
        SELECT TOP 1 @c = namesake.c_id
        FROM (
            SELECT TOP (@position) c_id, c_first
            FROM dbo.customer
            WHERE c_w_id = @c_w AND c_d_id = @c_d AND c_last = @last_wanted
            ORDER BY c_first, c_id
        ) AS namesake
        ORDER BY namesake.c_first DESC, namesake.c_id DESC;
    END;
    UPDATE dbo.customer
    SET c_balance = c_balance + @change,
        c_ytd_payment = c_ytd_payment + @counted * @amount,
        c_payment_cnt = c_payment_cnt + @counted,
        c_data = CASE c_credit
            WHEN N'BC'
                THEN SUBSTRING(CONCAT_WS(N' ', c_id, @c_d, @c_w, @d, @w, @amount, N'|', c_data), 1, 500)
            ELSE c_data
        END
    WHERE c_w_id = @c_w AND c_d_id = @c_d AND c_id = @c;
    IF @@ROWCOUNT = 0 THROW 50001, N'there is no such customer', 1;
    UPDATE dbo.district SET d_ytd = d_ytd + @amount WHERE d_w_id = @w AND d_id = @d;
    UPDATE dbo.warehouse SET w_ytd = w_ytd + @amount WHERE w_id = @w;
    INSERT INTO dbo.history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    SELECT @c, @c_d, @c_w, @d, @w, @paid, @amount, SUBSTRING(CONCAT_WS(N'    ', w_name, d_name), 1, 24)
    FROM dbo.warehouse
    INNER JOIN dbo.district ON d_w_id = w_id
    WHERE w_id = @w AND d_id = @d;
    SELECT c_id, w_street_1, w_street_2, w_city, w_state, w_zip,
        d_street_1, d_street_2, d_city, d_state, d_zip,
        c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
        c_since, c_credit, c_credit_lim, c_discount, c_balance,
        CASE c_credit WHEN N'BC' THEN SUBSTRING(c_data, 1, 200) ELSE N'' END AS c_data
    FROM dbo.customer
    CROSS JOIN dbo.warehouse
    INNER JOIN dbo.district ON d_w_id = w_id
    WHERE c_w_id = @c_w AND c_d_id = @c_d AND c_id = @c AND w_id = @w AND d_id = @d;
END

-- Order-status, clause 2.6.2.2. @own is 0 to look at the order of customer @c whoever was found.

-- routine: tprocc_order_status
CREATE PROCEDURE tprocc_order_status
    @w INT, @d INT, @c INT, @by_name INT, @last_wanted NVARCHAR(16), @own INT
WITH NATIVE_COMPILATION, SCHEMABINDING
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @customer INT = @c, @position INT, @order INT, @carrier INT;
    DECLARE @line INT = 0, @lines INT = 0, @item INT, @supply INT, @quantity INT;
    DECLARE @entered DATETIME2(6), @delivered DATETIME2(6);
    DECLARE @balance DECIMAL(12,2), @amount DECIMAL(6,2);
    DECLARE @first NVARCHAR(16), @middle NCHAR(2), @last NVARCHAR(16);
    DECLARE @items NVARCHAR(500), @supplies NVARCHAR(500), @quantities NVARCHAR(500);
    DECLARE @amounts NVARCHAR(500), @times NVARCHAR(500);
    IF @by_name = 1
    BEGIN
        SELECT @position = (COUNT(*) + 1) / 2
        FROM dbo.customer
        WHERE c_w_id = @w AND c_d_id = @d AND c_last = @last_wanted;
        SET @customer = 0;
        SELECT TOP 1 @customer = namesake.c_id
        FROM (
            SELECT TOP (@position) c_id, c_first
            FROM dbo.customer
            WHERE c_w_id = @w AND c_d_id = @d AND c_last = @last_wanted
            ORDER BY c_first, c_id
        ) AS namesake
        ORDER BY namesake.c_first DESC, namesake.c_id DESC;
    END;
    SELECT @balance = c_balance, @first = c_first, @middle = c_middle, @last = c_last
    FROM dbo.customer
    WHERE c_w_id = @w AND c_d_id = @d AND c_id = @customer;
    IF @last IS NULL THROW 50001, N'there is no such customer', 1;
    IF @own = 0 SET @item = @c ELSE SET @item = @customer;
    SELECT @order = MAX(o_id)
    FROM dbo.orders
    WHERE o_w_id = @w AND o_d_id = @d AND o_c_id = @item;
    SELECT @entered = o_entry_d, @carrier = o_carrier_id, @lines = o_ol_cnt
    FROM dbo.orders
    WHERE o_w_id = @w AND o_d_id = @d AND o_id = @order;
    WHILE @line < @lines
    BEGIN
        SET @line = @line + 1;
        SELECT @item = ol_i_id, @supply = ol_supply_w_id, @quantity = ol_quantity, @amount = ol_amount,
            @delivered = ol_delivery_d
        FROM dbo.order_line
        WHERE ol_w_id = @w AND ol_d_id = @d AND ol_o_id = @order AND ol_number = @line;
        SET @items = CONCAT_WS(N',', @items, @item);
        SET @supplies = CONCAT_WS(N',', @supplies, @supply);
        SET @quantities = CONCAT_WS(N',', @quantities, @quantity);
        SET @amounts = CONCAT_WS(N',', @amounts, @amount);
        SET @times = CONCAT_WS(N',', @times, ISNULL(CAST(@delivered AS NVARCHAR(26)), N'-'));
    END;
    SELECT @customer AS c_id, @balance AS c_balance, @first AS c_first, @middle AS c_middle, @last AS c_last,
        @order AS o_id, @entered AS o_entry_d, @carrier AS o_carrier_id, @items AS items,
        @supplies AS supplies, @quantities AS quantities, @amounts AS amounts, @times AS delivered
    FROM dbo.warehouse
    WHERE w_id = @w;
END

-- Delivery, clause 2.7.4.2, one transaction for all ten districts. Of two deliveries that take the same order the
-- second one fails with a conflict and is tried again. @stops is 1 to end at the first district without an open order.

-- routine: tprocc_delivery
CREATE PROCEDURE tprocc_delivery
    @w INT, @carrier INT, @delivered DATETIME2(6), @counted INT, @stops INT
WITH NATIVE_COMPILATION, SCHEMABINDING
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @district INT = 1, @orders INT = 0, @order INT, @customer INT;
    DECLARE @total DECIMAL(12,2);
    WHILE @district <= 10
    BEGIN
        SELECT @order = MIN(no_o_id)
        FROM dbo.new_order
        WHERE no_w_id = @w AND no_d_id = @district;
        IF @order IS NOT NULL
        BEGIN
            DELETE FROM dbo.new_order
            WHERE no_w_id = @w AND no_d_id = @district AND no_o_id = @order;
            UPDATE dbo.orders
            SET o_carrier_id = @carrier
            WHERE o_w_id = @w AND o_d_id = @district AND o_id = @order;
            SELECT @customer = o_c_id
            FROM dbo.orders
            WHERE o_w_id = @w AND o_d_id = @district AND o_id = @order;
            UPDATE dbo.order_line
            SET ol_delivery_d = @delivered
            WHERE ol_w_id = @w AND ol_d_id = @district AND ol_o_id = @order;
            SELECT @total = SUM(ol_amount)
            FROM dbo.order_line
            WHERE ol_w_id = @w AND ol_d_id = @district AND ol_o_id = @order;
            UPDATE dbo.customer
            SET c_balance = c_balance + @total, c_delivery_cnt = c_delivery_cnt + @counted
            WHERE c_w_id = @w AND c_d_id = @district AND c_id = @customer;
            SET @orders = @orders + 1;
        END;
        IF @order IS NULL AND @stops = 1 SET @district = 10;
        SET @district = @district + 1;
    END;
    SELECT @orders AS orders FROM dbo.warehouse WHERE w_id = @w;
END

-- Stock-level, clause 2.8.2.2: the lines of the last twenty orders.

-- routine: tprocc_stock_level
CREATE PROCEDURE tprocc_stock_level @w INT, @d INT, @threshold INT
WITH NATIVE_COMPILATION, SCHEMABINDING
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @next INT;
    SELECT @next = d_next_o_id FROM dbo.district WHERE d_w_id = @w AND d_id = @d;
    SELECT COUNT(*) AS low_stock
    FROM (
        SELECT DISTINCT s_i_id
        FROM dbo.order_line
        INNER JOIN dbo.stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id
        WHERE ol_w_id = @w AND ol_d_id = @d AND ol_o_id >= @next - 20 AND ol_o_id < @next
            AND s_quantity < @threshold
    ) AS low;
END
