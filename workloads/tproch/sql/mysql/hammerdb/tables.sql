-- HammerDB's eight tables on these databases: physical order of columns, types, NULL, keys and indexes.
-- Names are lower case. Read by the crate tacho-workload, which knows exactly this much SQL: one
-- column a line.
-- ps_supplycost is a whole number: the server rounds what it is given.

CREATE TABLE region (
    r_regionkey INT NOT NULL,
    r_name CHAR(25) BINARY,
    r_comment VARCHAR(152) BINARY,
    PRIMARY KEY (r_regionkey)
);

CREATE TABLE nation (
    n_nationkey INT NOT NULL,
    n_name CHAR(25) BINARY,
    n_regionkey INT NOT NULL,
    n_comment VARCHAR(152) BINARY,
    PRIMARY KEY (n_nationkey)
);
CREATE INDEX nation_regionkey_fkidx ON nation (n_regionkey);

CREATE TABLE supplier (
    s_suppkey INT NOT NULL,
    s_nationkey INT,
    s_comment VARCHAR(102) BINARY,
    s_name CHAR(25) BINARY,
    s_address VARCHAR(40) BINARY,
    s_phone CHAR(15) BINARY,
    s_acctbal DECIMAL(10,2),
    PRIMARY KEY (s_suppkey)
);
CREATE INDEX supplier_nation_fkidx ON supplier (s_nationkey);

CREATE TABLE customer (
    c_custkey INT NOT NULL,
    c_mktsegment CHAR(10) BINARY,
    c_nationkey INT,
    c_name VARCHAR(25) BINARY,
    c_address VARCHAR(40) BINARY,
    c_phone CHAR(15) BINARY,
    c_acctbal DECIMAL(10,2),
    c_comment VARCHAR(118) BINARY,
    PRIMARY KEY (c_custkey)
);
CREATE INDEX customer_nation_fkidx ON customer (c_nationkey);

CREATE TABLE part (
    p_partkey INT NOT NULL,
    p_type VARCHAR(25) BINARY,
    p_size INT,
    p_brand CHAR(10) BINARY,
    p_name VARCHAR(55) BINARY,
    p_container CHAR(10) BINARY,
    p_mfgr CHAR(25) BINARY,
    p_retailprice DECIMAL(10,2),
    p_comment VARCHAR(23) BINARY,
    PRIMARY KEY (p_partkey)
);

CREATE TABLE partsupp (
    ps_partkey INT NOT NULL,
    ps_suppkey INT NOT NULL,
    ps_supplycost INT NOT NULL,
    ps_availqty INT,
    ps_comment VARCHAR(199) BINARY,
    PRIMARY KEY (ps_partkey, ps_suppkey)
);
CREATE INDEX partsupp_part_fkidx ON partsupp (ps_partkey);
CREATE INDEX partsupp_supplier_fkidx ON partsupp (ps_suppkey);

CREATE TABLE orders (
    o_orderdate DATE,
    o_orderkey BIGINT NOT NULL,
    o_custkey INT NOT NULL,
    o_orderpriority CHAR(15) BINARY,
    o_shippriority INT,
    o_clerk CHAR(15) BINARY,
    o_orderstatus CHAR(1) BINARY,
    o_totalprice DECIMAL(10,2),
    o_comment VARCHAR(79) BINARY,
    PRIMARY KEY (o_orderkey)
);
CREATE INDEX orders_customer_fk ON orders (o_custkey);

CREATE TABLE lineitem (
    l_shipdate DATE,
    l_orderkey BIGINT NOT NULL,
    l_discount DECIMAL(10,2) NOT NULL,
    l_extendedprice DECIMAL(10,2) NOT NULL,
    l_suppkey INT NOT NULL,
    l_quantity INT NOT NULL,
    l_returnflag CHAR(1) BINARY,
    l_partkey INT NOT NULL,
    l_linestatus CHAR(1) BINARY,
    l_tax DECIMAL(10,2) NOT NULL,
    l_commitdate DATE,
    l_receiptdate DATE,
    l_shipmode CHAR(10) BINARY,
    l_linenumber INT NOT NULL,
    l_shipinstruct CHAR(25) BINARY,
    l_comment VARCHAR(44) BINARY,
    PRIMARY KEY (l_orderkey, l_linenumber)
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
