-- Makes of a schema that Tacho has built for one warehouse what HammerDB builds on PostgreSQL: its tables with
-- its columns and keys, and none of our own. The table mine is of another user.
SET SESSION AUTHORIZATION tpcc;
CREATE SCHEMA before;
ALTER TABLE customer SET SCHEMA before;
ALTER TABLE district SET SCHEMA before;
ALTER TABLE history SET SCHEMA before;
ALTER TABLE item SET SCHEMA before;
ALTER TABLE warehouse SET SCHEMA before;
ALTER TABLE stock SET SCHEMA before;
ALTER TABLE new_order SET SCHEMA before;
ALTER TABLE orders SET SCHEMA before;
ALTER TABLE order_line SET SCHEMA before;
CREATE TABLE customer (
    c_since timestamptz NOT NULL,
    c_id integer NOT NULL,
    c_w_id integer NOT NULL,
    c_d_id smallint NOT NULL,
    c_payment_cnt smallint NOT NULL,
    c_delivery_cnt smallint NOT NULL,
    c_first varchar(16) NOT NULL,
    c_middle char(2) NOT NULL,
    c_last varchar(16) NOT NULL,
    c_street_1 varchar(20) NOT NULL,
    c_street_2 varchar(20) NOT NULL,
    c_city varchar(20) NOT NULL,
    c_state char(2) NOT NULL,
    c_zip char(9) NOT NULL,
    c_phone char(16) NOT NULL,
    c_credit char(2) NOT NULL,
    c_credit_lim numeric(12,2) NOT NULL,
    c_discount numeric(4,4) NOT NULL,
    c_balance numeric(12,2) NOT NULL,
    c_ytd_payment numeric(12,2) NOT NULL,
    c_data varchar(500) NOT NULL,
    CONSTRAINT customer_i1 PRIMARY KEY (c_w_id, c_d_id, c_id)
);
INSERT INTO customer (c_since, c_id, c_w_id, c_d_id, c_payment_cnt, c_delivery_cnt, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_data)
SELECT c_since, c_id, c_w_id, c_d_id, c_payment_cnt, c_delivery_cnt, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_data
FROM before.customer;
CREATE TABLE district (
    d_w_id integer NOT NULL,
    d_next_o_id integer NOT NULL,
    d_id smallint NOT NULL,
    d_ytd numeric(12,2) NOT NULL,
    d_tax numeric(4,4) NOT NULL,
    d_name varchar(10) NOT NULL,
    d_street_1 varchar(20) NOT NULL,
    d_street_2 varchar(20) NOT NULL,
    d_city varchar(20) NOT NULL,
    d_state char(2) NOT NULL,
    d_zip char(9) NOT NULL,
    CONSTRAINT district_i1 PRIMARY KEY (d_w_id, d_id)
);
INSERT INTO district (d_w_id, d_next_o_id, d_id, d_ytd, d_tax, d_name, d_street_1, d_street_2, d_city, d_state, d_zip)
SELECT d_w_id, d_next_o_id, d_id, d_ytd, d_tax, d_name, d_street_1, d_street_2, d_city, d_state, d_zip
FROM before.district;
CREATE TABLE history (
    h_date timestamptz NOT NULL,
    h_c_id integer,
    h_c_w_id integer NOT NULL,
    h_w_id integer NOT NULL,
    h_c_d_id smallint NOT NULL,
    h_d_id smallint NOT NULL,
    h_amount numeric(6,2) NOT NULL,
    h_data varchar(24) NOT NULL
);
INSERT INTO history (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)
SELECT h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data
FROM before.history;
CREATE TABLE item (
    i_id integer NOT NULL,
    i_im_id integer NOT NULL,
    i_name varchar(24) NOT NULL,
    i_price numeric(5,2) NOT NULL,
    i_data varchar(50) NOT NULL,
    CONSTRAINT item_i1 PRIMARY KEY (i_id)
);
INSERT INTO item (i_id, i_im_id, i_name, i_price, i_data)
SELECT i_id, i_im_id, i_name, i_price, i_data
FROM before.item;
CREATE TABLE warehouse (
    w_id integer NOT NULL,
    w_name varchar(10) NOT NULL,
    w_street_1 varchar(20) NOT NULL,
    w_street_2 varchar(20) NOT NULL,
    w_city varchar(20) NOT NULL,
    w_state char(2) NOT NULL,
    w_zip char(9) NOT NULL,
    w_tax numeric(4,4) NOT NULL,
    w_ytd numeric(16,2) NOT NULL,
    CONSTRAINT warehouse_i1 PRIMARY KEY (w_id)
);
INSERT INTO warehouse (w_id, w_name, w_street_1, w_street_2, w_city, w_state, w_zip, w_tax, w_ytd)
SELECT w_id, w_name, w_street_1, w_street_2, w_city, w_state, w_zip, w_tax, w_ytd
FROM before.warehouse;
CREATE TABLE stock (
    s_i_id integer NOT NULL,
    s_w_id integer NOT NULL,
    s_ytd integer NOT NULL,
    s_quantity smallint NOT NULL,
    s_order_cnt smallint NOT NULL,
    s_remote_cnt smallint NOT NULL,
    s_dist_01 char(24) NOT NULL,
    s_dist_02 char(24) NOT NULL,
    s_dist_03 char(24) NOT NULL,
    s_dist_04 char(24) NOT NULL,
    s_dist_05 char(24) NOT NULL,
    s_dist_06 char(24) NOT NULL,
    s_dist_07 char(24) NOT NULL,
    s_dist_08 char(24) NOT NULL,
    s_dist_09 char(24) NOT NULL,
    s_dist_10 char(24) NOT NULL,
    s_data varchar(50) NOT NULL,
    CONSTRAINT stock_i1 PRIMARY KEY (s_i_id, s_w_id)
);
INSERT INTO stock (s_i_id, s_w_id, s_ytd, s_quantity, s_order_cnt, s_remote_cnt, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10, s_data)
SELECT s_i_id, s_w_id, s_ytd, s_quantity, s_order_cnt, s_remote_cnt, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10, s_data
FROM before.stock;
CREATE TABLE new_order (
    no_w_id integer NOT NULL,
    no_o_id integer NOT NULL,
    no_d_id smallint NOT NULL,
    CONSTRAINT new_order_i1 PRIMARY KEY (no_w_id, no_d_id, no_o_id)
);
INSERT INTO new_order (no_w_id, no_o_id, no_d_id)
SELECT no_w_id, no_o_id, no_d_id
FROM before.new_order;
CREATE TABLE orders (
    o_entry_d timestamptz NOT NULL,
    o_id integer NOT NULL,
    o_w_id integer NOT NULL,
    o_c_id integer NOT NULL,
    o_d_id smallint NOT NULL,
    o_carrier_id smallint,
    o_ol_cnt smallint NOT NULL,
    o_all_local smallint NOT NULL,
    CONSTRAINT orders_i1 PRIMARY KEY (o_w_id, o_d_id, o_id)
);
INSERT INTO orders (o_entry_d, o_id, o_w_id, o_c_id, o_d_id, o_carrier_id, o_ol_cnt, o_all_local)
SELECT o_entry_d, o_id, o_w_id, o_c_id, o_d_id, o_carrier_id, o_ol_cnt, o_all_local
FROM before.orders;
CREATE TABLE order_line (
    ol_delivery_d timestamptz,
    ol_o_id integer NOT NULL,
    ol_w_id integer NOT NULL,
    ol_i_id integer NOT NULL,
    ol_supply_w_id integer NOT NULL,
    ol_d_id smallint NOT NULL,
    ol_number smallint NOT NULL,
    ol_quantity smallint NOT NULL,
    ol_amount numeric(6,2),
    ol_dist_info char(24),
    CONSTRAINT order_line_i1 PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);
INSERT INTO order_line (ol_delivery_d, ol_o_id, ol_w_id, ol_i_id, ol_supply_w_id, ol_d_id, ol_number, ol_quantity, ol_amount, ol_dist_info)
SELECT ol_delivery_d, ol_o_id, ol_w_id, ol_i_id, ol_supply_w_id, ol_d_id, ol_number, ol_quantity, ol_amount, ol_dist_info
FROM before.order_line;
CREATE UNIQUE INDEX customer_i2 ON customer (c_w_id, c_d_id, c_last, c_first, c_id);
CREATE UNIQUE INDEX orders_i2 ON orders (o_w_id, o_d_id, o_c_id, o_id);
DROP SCHEMA before CASCADE;
DROP TABLE tacho_marker, tacho_units;
CREATE TABLE mine (a integer);
ANALYZE;
