-- DBT-2's nine tables: names, types, keys and indexes. It has no foreign keys.
-- What it has as DOUBLE is DECIMAL here, because binary fractions are not exact decimals.
-- Read by the crate tacho-workload, which knows exactly this much SQL: one column a line.

CREATE TABLE warehouse (
    w_id INT NOT NULL,
    w_name VARCHAR(10),
    w_street_1 VARCHAR(20),
    w_street_2 VARCHAR(20),
    w_city VARCHAR(20),
    w_state CHAR(2),
    w_zip CHAR(9),
    w_tax DECIMAL(24,12),
    w_ytd DECIMAL(24,12),
    PRIMARY KEY (w_id)
);

CREATE TABLE district (
    d_id INT NOT NULL,
    d_w_id INT NOT NULL,
    d_name VARCHAR(10),
    d_street_1 VARCHAR(20),
    d_street_2 VARCHAR(20),
    d_city VARCHAR(20),
    d_state CHAR(2),
    d_zip CHAR(9),
    d_tax DECIMAL(24,12),
    d_ytd DECIMAL(24,12),
    d_next_o_id INT,
    PRIMARY KEY (d_w_id, d_id)
);

CREATE TABLE customer (
    c_id INT NOT NULL,
    c_d_id INT NOT NULL,
    c_w_id INT NOT NULL,
    c_first VARCHAR(16),
    c_middle CHAR(2),
    c_last VARCHAR(16),
    c_street_1 VARCHAR(20),
    c_street_2 VARCHAR(20),
    c_city VARCHAR(20),
    c_state CHAR(2),
    c_zip CHAR(9),
    c_phone CHAR(16),
    c_since TIMESTAMP,
    c_credit CHAR(2),
    c_credit_lim DECIMAL(24,12),
    c_discount DECIMAL(24,12),
    c_balance DECIMAL(24,12),
    c_ytd_payment DECIMAL(24,12),
    c_payment_cnt DECIMAL(24,12),
    c_delivery_cnt DECIMAL(24,12),
    c_data TEXT,
    PRIMARY KEY (c_w_id, c_d_id, c_id)
);
CREATE INDEX i_customer ON customer (c_w_id, c_d_id, c_last, c_first);

CREATE TABLE history (
    h_c_id INT,
    h_c_d_id INT,
    h_c_w_id INT,
    h_d_id INT,
    h_w_id INT,
    h_date TIMESTAMP,
    h_amount DECIMAL(24,12),
    h_data VARCHAR(24)
);

CREATE TABLE item (
    i_id INT NOT NULL,
    i_im_id INT,
    i_name VARCHAR(24),
    i_price DECIMAL(24,12),
    i_data VARCHAR(50),
    PRIMARY KEY (i_id)
);

CREATE TABLE stock (
    s_i_id INT NOT NULL,
    s_w_id INT NOT NULL,
    s_quantity DECIMAL(24,12),
    s_dist_01 CHAR(24),
    s_dist_02 CHAR(24),
    s_dist_03 CHAR(24),
    s_dist_04 CHAR(24),
    s_dist_05 CHAR(24),
    s_dist_06 CHAR(24),
    s_dist_07 CHAR(24),
    s_dist_08 CHAR(24),
    s_dist_09 CHAR(24),
    s_dist_10 CHAR(24),
    s_ytd DECIMAL(24,12),
    s_order_cnt DECIMAL(24,12),
    s_remote_cnt DECIMAL(24,12),
    s_data VARCHAR(50),
    PRIMARY KEY (s_w_id, s_i_id)
);

CREATE TABLE orders (
    o_id INT NOT NULL,
    o_d_id INT NOT NULL,
    o_w_id INT NOT NULL,
    o_c_id INT,
    o_entry_d TIMESTAMP,
    o_carrier_id INT,
    o_ol_cnt INT,
    o_all_local INT,
    PRIMARY KEY (o_w_id, o_d_id, o_id)
);
CREATE INDEX i_orders ON orders (o_w_id, o_d_id, o_c_id, o_id);

CREATE TABLE new_order (
    no_o_id INT NOT NULL,
    no_d_id INT NOT NULL,
    no_w_id INT NOT NULL,
    PRIMARY KEY (no_d_id, no_w_id, no_o_id)
);

CREATE TABLE order_line (
    ol_o_id INT NOT NULL,
    ol_d_id INT NOT NULL,
    ol_w_id INT NOT NULL,
    ol_number INT NOT NULL,
    ol_i_id INT,
    ol_supply_w_id INT,
    ol_delivery_d TIMESTAMP,
    ol_quantity DECIMAL(24,12),
    ol_amount DECIMAL(24,12),
    ol_dist_info CHAR(24),
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);
