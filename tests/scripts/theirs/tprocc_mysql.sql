-- Makes of a schema that Tacho has built for one warehouse what HammerDB builds on MySQL and MariaDB: its tables
-- with its columns and keys, and none of our own. The table mine is of another user.
CREATE DATABASE before_it;
RENAME TABLE tpcc.customer TO before_it.customer;
RENAME TABLE tpcc.district TO before_it.district;
RENAME TABLE tpcc.history TO before_it.history;
RENAME TABLE tpcc.item TO before_it.item;
RENAME TABLE tpcc.new_order TO before_it.new_order;
RENAME TABLE tpcc.orders TO before_it.orders;
RENAME TABLE tpcc.order_line TO before_it.order_line;
RENAME TABLE tpcc.stock TO before_it.stock;
RENAME TABLE tpcc.warehouse TO before_it.warehouse;
CREATE TABLE tpcc.customer (
    c_id int NOT NULL,
    c_d_id int NOT NULL,
    c_w_id int NOT NULL,
    c_first varchar(16),
    c_middle char(2),
    c_last varchar(16),
    c_street_1 varchar(20),
    c_street_2 varchar(20),
    c_city varchar(20),
    c_state char(2),
    c_zip char(9),
    c_phone char(16),
    c_since datetime,
    c_credit char(2),
    c_credit_lim decimal(12,2),
    c_discount decimal(4,4),
    c_balance decimal(12,2),
    c_ytd_payment decimal(12,2),
    c_payment_cnt int,
    c_delivery_cnt int,
    c_data varchar(500),
    PRIMARY KEY (c_w_id, c_d_id, c_id), KEY c_w_id (c_w_id, c_d_id, c_last, c_first)
) ENGINE = innodb CHARACTER SET latin1 COLLATE latin1_bin;
INSERT INTO tpcc.customer (c_id, c_d_id, c_w_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data)
SELECT c_id, c_d_id, c_w_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data
FROM before_it.customer;
CREATE TABLE tpcc.district (
    d_id int NOT NULL,
    d_w_id int NOT NULL,
    d_ytd decimal(12,2),
    d_tax decimal(4,4),
    d_next_o_id int,
    d_name varchar(10),
    d_street_1 varchar(20),
    d_street_2 varchar(20),
    d_city varchar(20),
    d_state char(2),
    d_zip char(9),
    PRIMARY KEY (d_w_id, d_id)
) ENGINE = innodb CHARACTER SET latin1 COLLATE latin1_bin;
INSERT INTO tpcc.district (d_id, d_w_id, d_ytd, d_tax, d_next_o_id, d_name, d_street_1, d_street_2, d_city, d_state, d_zip)
SELECT d_id, d_w_id, d_ytd, d_tax, d_next_o_id, d_name, d_street_1, d_street_2, d_city, d_state, d_zip
FROM before_it.district;
CREATE TABLE tpcc.history (
    h_c_id int,
    h_c_d_id int,
    h_c_w_id int,
    h_d_id int,
    h_w_id int,
    h_date datetime,
    h_amount decimal(6,2),
    h_data varchar(24)
) ENGINE = innodb CHARACTER SET latin1 COLLATE latin1_bin;
INSERT INTO tpcc.history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
SELECT h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data
FROM before_it.history;
CREATE TABLE tpcc.item (
    i_id int NOT NULL,
    i_im_id int,
    i_name varchar(24),
    i_price decimal(5,2),
    i_data varchar(50),
    PRIMARY KEY (i_id)
) ENGINE = innodb CHARACTER SET latin1 COLLATE latin1_bin;
INSERT INTO tpcc.item (i_id, i_im_id, i_name, i_price, i_data)
SELECT i_id, i_im_id, i_name, i_price, i_data
FROM before_it.item;
CREATE TABLE tpcc.new_order (
    no_w_id int NOT NULL,
    no_d_id int NOT NULL,
    no_o_id int NOT NULL,
    PRIMARY KEY (no_w_id, no_d_id, no_o_id)
) ENGINE = innodb CHARACTER SET latin1 COLLATE latin1_bin;
INSERT INTO tpcc.new_order (no_w_id, no_d_id, no_o_id)
SELECT no_w_id, no_d_id, no_o_id
FROM before_it.new_order;
CREATE TABLE tpcc.orders (
    o_id int NOT NULL,
    o_w_id int NOT NULL,
    o_d_id int NOT NULL,
    o_c_id int,
    o_carrier_id int,
    o_ol_cnt int,
    o_all_local int,
    o_entry_d datetime,
    PRIMARY KEY (o_w_id, o_d_id, o_id), KEY o_w_id (o_w_id, o_d_id, o_c_id, o_id)
) ENGINE = innodb CHARACTER SET latin1 COLLATE latin1_bin;
INSERT INTO tpcc.orders (o_id, o_w_id, o_d_id, o_c_id, o_carrier_id, o_ol_cnt, o_all_local, o_entry_d)
SELECT o_id, o_w_id, o_d_id, o_c_id, o_carrier_id, o_ol_cnt, o_all_local, o_entry_d
FROM before_it.orders;
CREATE TABLE tpcc.order_line (
    ol_w_id int NOT NULL,
    ol_d_id int NOT NULL,
    ol_o_id int NOT NULL,
    ol_number int NOT NULL,
    ol_i_id int,
    ol_delivery_d datetime,
    ol_amount int,
    ol_supply_w_id int,
    ol_quantity int,
    ol_dist_info char(24),
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
) ENGINE = innodb CHARACTER SET latin1 COLLATE latin1_bin;
INSERT INTO tpcc.order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_delivery_d, ol_amount, ol_supply_w_id, ol_quantity, ol_dist_info)
SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_delivery_d, ol_amount, ol_supply_w_id, ol_quantity, ol_dist_info
FROM before_it.order_line;
CREATE TABLE tpcc.stock (
    s_i_id int NOT NULL,
    s_w_id int NOT NULL,
    s_quantity int,
    s_dist_01 char(24),
    s_dist_02 char(24),
    s_dist_03 char(24),
    s_dist_04 char(24),
    s_dist_05 char(24),
    s_dist_06 char(24),
    s_dist_07 char(24),
    s_dist_08 char(24),
    s_dist_09 char(24),
    s_dist_10 char(24),
    s_ytd bigint,
    s_order_cnt int,
    s_remote_cnt int,
    s_data varchar(50),
    PRIMARY KEY (s_w_id, s_i_id)
) ENGINE = innodb CHARACTER SET latin1 COLLATE latin1_bin;
INSERT INTO tpcc.stock (s_i_id, s_w_id, s_quantity, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10, s_ytd, s_order_cnt, s_remote_cnt, s_data)
SELECT s_i_id, s_w_id, s_quantity, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10, s_ytd, s_order_cnt, s_remote_cnt, s_data
FROM before_it.stock;
CREATE TABLE tpcc.warehouse (
    w_id int NOT NULL,
    w_ytd decimal(12,2),
    w_tax decimal(4,4),
    w_name varchar(10),
    w_street_1 varchar(20),
    w_street_2 varchar(20),
    w_city varchar(20),
    w_state char(2),
    w_zip char(9),
    PRIMARY KEY (w_id)
) ENGINE = innodb CHARACTER SET latin1 COLLATE latin1_bin;
INSERT INTO tpcc.warehouse (w_id, w_ytd, w_tax, w_name, w_street_1, w_street_2, w_city, w_state, w_zip)
SELECT w_id, w_ytd, w_tax, w_name, w_street_1, w_street_2, w_city, w_state, w_zip
FROM before_it.warehouse;
DROP DATABASE before_it;
DROP TABLE tpcc.tacho_marker, tpcc.tacho_units;
CREATE TABLE tpcc.mine (a int);
