-- HammerDB's eight tables on this database: physical order of columns, types, NULL, keys and indexes.
-- Names are lower case. Read by the crate tacho-workload, which knows exactly this much SQL: one
-- column a line.

CREATE TABLE region (
    r_regionkey NUMERIC NOT NULL,
    r_name CHAR(25),
    r_comment VARCHAR(152),
    CONSTRAINT region_pk PRIMARY KEY (r_regionkey)
);

CREATE TABLE nation (
    n_nationkey NUMERIC NOT NULL,
    n_name CHAR(25),
    n_regionkey NUMERIC NOT NULL,
    n_comment VARCHAR(152),
    CONSTRAINT nation_pk PRIMARY KEY (n_nationkey)
);
CREATE INDEX nation_regionkey_fkidx ON nation (n_regionkey);

CREATE TABLE supplier (
    s_suppkey NUMERIC NOT NULL,
    s_nationkey NUMERIC,
    s_comment VARCHAR(102),
    s_name CHAR(25),
    s_address VARCHAR(40),
    s_phone CHAR(15),
    s_acctbal NUMERIC,
    CONSTRAINT supplier_pk PRIMARY KEY (s_suppkey)
);
CREATE INDEX supplier_nation_fkidx ON supplier (s_nationkey);

CREATE TABLE customer (
    c_custkey NUMERIC NOT NULL,
    c_mktsegment CHAR(10),
    c_nationkey NUMERIC,
    c_name VARCHAR(25),
    c_address VARCHAR(40),
    c_phone CHAR(15),
    c_acctbal NUMERIC,
    c_comment VARCHAR(118),
    CONSTRAINT customer_pk PRIMARY KEY (c_custkey)
);
CREATE INDEX customer_nation_fkidx ON customer (c_nationkey);

CREATE TABLE part (
    p_partkey NUMERIC NOT NULL,
    p_type VARCHAR(25),
    p_size NUMERIC,
    p_brand CHAR(10),
    p_name VARCHAR(55),
    p_container CHAR(10),
    p_mfgr CHAR(25),
    p_retailprice NUMERIC,
    p_comment VARCHAR(23),
    CONSTRAINT part_pk PRIMARY KEY (p_partkey)
);

CREATE TABLE partsupp (
    ps_partkey NUMERIC NOT NULL,
    ps_suppkey NUMERIC NOT NULL,
    ps_supplycost NUMERIC NOT NULL,
    ps_availqty NUMERIC,
    ps_comment VARCHAR(199),
    CONSTRAINT partsupp_pk PRIMARY KEY (ps_partkey, ps_suppkey)
);
CREATE INDEX partsupp_part_fkidx ON partsupp (ps_partkey);
CREATE INDEX partsupp_supplier_fkidx ON partsupp (ps_suppkey);

CREATE TABLE orders (
    o_orderdate TIMESTAMP,
    o_orderkey NUMERIC NOT NULL,
    o_custkey NUMERIC NOT NULL,
    o_orderpriority CHAR(15),
    o_shippriority NUMERIC,
    o_clerk CHAR(15),
    o_orderstatus CHAR(1),
    o_totalprice NUMERIC,
    o_comment VARCHAR(79),
    CONSTRAINT orders_pk PRIMARY KEY (o_orderkey)
);
CREATE INDEX order_customer_fkidx ON orders (o_custkey);

CREATE TABLE lineitem (
    l_shipdate TIMESTAMP,
    l_orderkey NUMERIC NOT NULL,
    l_discount NUMERIC NOT NULL,
    l_extendedprice NUMERIC NOT NULL,
    l_suppkey NUMERIC NOT NULL,
    l_quantity NUMERIC NOT NULL,
    l_returnflag CHAR(1),
    l_partkey NUMERIC NOT NULL,
    l_linestatus CHAR(1),
    l_tax NUMERIC NOT NULL,
    l_commitdate TIMESTAMP,
    l_receiptdate TIMESTAMP,
    l_shipmode CHAR(10),
    l_linenumber NUMERIC NOT NULL,
    l_shipinstruct CHAR(25),
    l_comment VARCHAR(44),
    CONSTRAINT lineitem_pk PRIMARY KEY (l_linenumber, l_orderkey)
);
CREATE INDEX lineitem_part_supp_fkidx ON lineitem (l_partkey, l_suppkey);
CREATE INDEX idx_lineitem_orderkey_fkidx ON lineitem (l_orderkey);

-- Ours: how far the refresh functions have come.
CREATE TABLE refreshes (
    f_function INT NOT NULL,
    f_set BIGINT NOT NULL,
    f_done BIGINT NOT NULL,
    f_orders BIGINT NOT NULL,
    f_lines BIGINT NOT NULL,
    PRIMARY KEY (f_function)
);
