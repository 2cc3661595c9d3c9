-- Makes of a schema of TPROC-H that Tacho has built what HammerDB builds on PostgreSQL: its tables with its
-- columns, and none of our own. The table mine is of another user.
SET SESSION AUTHORIZATION tpch;
CREATE SCHEMA before;
ALTER TABLE region SET SCHEMA before;
ALTER TABLE nation SET SCHEMA before;
ALTER TABLE supplier SET SCHEMA before;
ALTER TABLE customer SET SCHEMA before;
ALTER TABLE part SET SCHEMA before;
ALTER TABLE partsupp SET SCHEMA before;
ALTER TABLE orders SET SCHEMA before;
ALTER TABLE lineitem SET SCHEMA before;
CREATE TABLE region (
    r_regionkey numeric NOT NULL,
    r_name char(25) NOT NULL,
    r_comment varchar(152) NOT NULL,
    CONSTRAINT region_i1 PRIMARY KEY (r_regionkey)
);
INSERT INTO region (r_regionkey, r_name, r_comment)
SELECT r_regionkey, r_name, r_comment
FROM before.region;
CREATE TABLE nation (
    n_nationkey numeric NOT NULL,
    n_name char(25) NOT NULL,
    n_regionkey numeric NOT NULL,
    n_comment varchar(152) NOT NULL,
    CONSTRAINT nation_i1 PRIMARY KEY (n_nationkey)
);
INSERT INTO nation (n_nationkey, n_name, n_regionkey, n_comment)
SELECT n_nationkey, n_name, n_regionkey, n_comment
FROM before.nation;
CREATE TABLE supplier (
    s_suppkey numeric NOT NULL,
    s_nationkey numeric NOT NULL,
    s_comment varchar(102) NOT NULL,
    s_name char(25) NOT NULL,
    s_address varchar(40) NOT NULL,
    s_phone char(15) NOT NULL,
    s_acctbal numeric NOT NULL,
    CONSTRAINT supplier_i1 PRIMARY KEY (s_suppkey)
);
INSERT INTO supplier (s_suppkey, s_nationkey, s_comment, s_name, s_address, s_phone, s_acctbal)
SELECT s_suppkey, s_nationkey, s_comment, s_name, s_address, s_phone, s_acctbal
FROM before.supplier;
CREATE TABLE customer (
    c_custkey numeric NOT NULL,
    c_mktsegment char(10) NOT NULL,
    c_nationkey numeric NOT NULL,
    c_name varchar(25) NOT NULL,
    c_address varchar(40) NOT NULL,
    c_phone char(15) NOT NULL,
    c_acctbal numeric NOT NULL,
    c_comment varchar(118) NOT NULL,
    CONSTRAINT customer_i1 PRIMARY KEY (c_custkey)
);
INSERT INTO customer (c_custkey, c_mktsegment, c_nationkey, c_name, c_address, c_phone, c_acctbal, c_comment)
SELECT c_custkey, c_mktsegment, c_nationkey, c_name, c_address, c_phone, c_acctbal, c_comment
FROM before.customer;
CREATE TABLE part (
    p_partkey numeric NOT NULL,
    p_type varchar(25) NOT NULL,
    p_size numeric NOT NULL,
    p_brand char(10) NOT NULL,
    p_name varchar(55) NOT NULL,
    p_container char(10) NOT NULL,
    p_mfgr char(25) NOT NULL,
    p_retailprice numeric NOT NULL,
    p_comment varchar(23) NOT NULL,
    CONSTRAINT part_i1 PRIMARY KEY (p_partkey)
);
INSERT INTO part (p_partkey, p_type, p_size, p_brand, p_name, p_container, p_mfgr, p_retailprice, p_comment)
SELECT p_partkey, p_type, p_size, p_brand, p_name, p_container, p_mfgr, p_retailprice, p_comment
FROM before.part;
CREATE TABLE partsupp (
    ps_partkey numeric NOT NULL,
    ps_suppkey numeric NOT NULL,
    ps_supplycost numeric NOT NULL,
    ps_availqty numeric NOT NULL,
    ps_comment varchar(199) NOT NULL,
    CONSTRAINT partsupp_i1 PRIMARY KEY (ps_partkey, ps_suppkey)
);
INSERT INTO partsupp (ps_partkey, ps_suppkey, ps_supplycost, ps_availqty, ps_comment)
SELECT ps_partkey, ps_suppkey, ps_supplycost, ps_availqty, ps_comment
FROM before.partsupp;
CREATE TABLE orders (
    o_orderdate timestamp NOT NULL,
    o_orderkey numeric NOT NULL,
    o_custkey numeric NOT NULL,
    o_orderpriority char(15) NOT NULL,
    o_shippriority numeric NOT NULL,
    o_clerk char(15) NOT NULL,
    o_orderstatus char(1) NOT NULL,
    o_totalprice numeric NOT NULL,
    o_comment varchar(79) NOT NULL,
    CONSTRAINT orders_i1 PRIMARY KEY (o_orderkey)
);
INSERT INTO orders (o_orderdate, o_orderkey, o_custkey, o_orderpriority, o_shippriority, o_clerk, o_orderstatus, o_totalprice, o_comment)
SELECT o_orderdate, o_orderkey, o_custkey, o_orderpriority, o_shippriority, o_clerk, o_orderstatus, o_totalprice, o_comment
FROM before.orders;
CREATE TABLE lineitem (
    l_shipdate timestamp NOT NULL,
    l_orderkey numeric NOT NULL,
    l_discount numeric NOT NULL,
    l_extendedprice numeric NOT NULL,
    l_suppkey numeric NOT NULL,
    l_quantity numeric NOT NULL,
    l_returnflag char(1) NOT NULL,
    l_partkey numeric NOT NULL,
    l_linestatus char(1) NOT NULL,
    l_tax numeric NOT NULL,
    l_commitdate timestamp NOT NULL,
    l_receiptdate timestamp NOT NULL,
    l_shipmode char(10) NOT NULL,
    l_linenumber numeric NOT NULL,
    l_shipinstruct char(25) NOT NULL,
    l_comment varchar(44) NOT NULL,
    CONSTRAINT lineitem_i1 PRIMARY KEY (l_linenumber, l_orderkey)
);
INSERT INTO lineitem (l_shipdate, l_orderkey, l_discount, l_extendedprice, l_suppkey, l_quantity, l_returnflag, l_partkey, l_linestatus, l_tax, l_commitdate, l_receiptdate, l_shipmode, l_linenumber, l_shipinstruct, l_comment)
SELECT l_shipdate, l_orderkey, l_discount, l_extendedprice, l_suppkey, l_quantity, l_returnflag, l_partkey, l_linestatus, l_tax, l_commitdate, l_receiptdate, l_shipmode, l_linenumber, l_shipinstruct, l_comment
FROM before.lineitem;
ALTER TABLE lineitem ADD CONSTRAINT lineitem_order_fk FOREIGN KEY (l_orderkey) REFERENCES orders DEFERRABLE;
ALTER TABLE orders ADD CONSTRAINT order_customer_fk FOREIGN KEY (o_custkey) REFERENCES customer;
ALTER TABLE nation ADD CONSTRAINT nation_region_fk FOREIGN KEY (n_regionkey) REFERENCES region;
DROP SCHEMA before CASCADE;
DROP TABLE refreshes, tacho_marker, tacho_units;
CREATE TABLE mine (a integer);
ANALYZE;
