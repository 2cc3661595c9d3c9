-- Makes of a schema of TPROC-H that Tacho has built what HammerDB builds on MySQL and MariaDB: its tables with
-- names in upper case, its columns and keys, and none of our own. The table mine is of another user.
CREATE DATABASE before_it;
SET foreign_key_checks = 0;
RENAME TABLE tpch.region TO before_it.region;
RENAME TABLE tpch.nation TO before_it.nation;
RENAME TABLE tpch.supplier TO before_it.supplier;
RENAME TABLE tpch.customer TO before_it.customer;
RENAME TABLE tpch.part TO before_it.part;
RENAME TABLE tpch.partsupp TO before_it.partsupp;
RENAME TABLE tpch.orders TO before_it.orders;
RENAME TABLE tpch.lineitem TO before_it.lineitem;
DROP TABLE tpch.refreshes, tpch.tacho_marker, tpch.tacho_units;
CREATE TABLE tpch.REGION (
    R_REGIONKEY int NOT NULL,
    R_NAME char(25) binary,
    R_COMMENT varchar(152) binary,
    PRIMARY KEY (R_REGIONKEY)
) ENGINE = innodb;
INSERT INTO tpch.REGION (R_REGIONKEY, R_NAME, R_COMMENT)
SELECT r_regionkey, r_name, r_comment
FROM before_it.region;
CREATE TABLE tpch.NATION (
    N_NATIONKEY int NOT NULL,
    N_NAME char(25) binary,
    N_REGIONKEY int NOT NULL,
    N_COMMENT varchar(152) binary,
    PRIMARY KEY (N_NATIONKEY),
    KEY NATION_REGIONKEY_FKIDX (N_REGIONKEY),
    CONSTRAINT NATION_REGION_FK FOREIGN KEY (N_REGIONKEY) REFERENCES tpch.REGION (R_REGIONKEY)
) ENGINE = innodb;
INSERT INTO tpch.NATION (N_NATIONKEY, N_NAME, N_REGIONKEY, N_COMMENT)
SELECT n_nationkey, n_name, n_regionkey, n_comment
FROM before_it.nation;
CREATE TABLE tpch.SUPPLIER (
    S_SUPPKEY int NOT NULL,
    S_NATIONKEY int,
    S_COMMENT varchar(102) binary,
    S_NAME char(25) binary,
    S_ADDRESS varchar(40) binary,
    S_PHONE char(15) binary,
    S_ACCTBAL decimal(10,2),
    PRIMARY KEY (S_SUPPKEY),
    KEY SUPPLIER_NATION_FKIDX (S_NATIONKEY),
    CONSTRAINT SUPPLIER_NATION_FK FOREIGN KEY (S_NATIONKEY) REFERENCES tpch.NATION (N_NATIONKEY)
) ENGINE = innodb;
INSERT INTO tpch.SUPPLIER (S_SUPPKEY, S_NATIONKEY, S_COMMENT, S_NAME, S_ADDRESS, S_PHONE, S_ACCTBAL)
SELECT s_suppkey, s_nationkey, s_comment, s_name, s_address, s_phone, s_acctbal
FROM before_it.supplier;
CREATE TABLE tpch.CUSTOMER (
    C_CUSTKEY int NOT NULL,
    C_MKTSEGMENT char(10) binary,
    C_NATIONKEY int,
    C_NAME varchar(25) binary,
    C_ADDRESS varchar(40) binary,
    C_PHONE char(15) binary,
    C_ACCTBAL decimal(10,2),
    C_COMMENT varchar(118) binary,
    PRIMARY KEY (C_CUSTKEY),
    KEY CUSTOMER_NATION_FKIDX (C_NATIONKEY),
    CONSTRAINT CUSTOMER_NATION_FK FOREIGN KEY (C_NATIONKEY) REFERENCES tpch.NATION (N_NATIONKEY)
) ENGINE = innodb;
INSERT INTO tpch.CUSTOMER (C_CUSTKEY, C_MKTSEGMENT, C_NATIONKEY, C_NAME, C_ADDRESS, C_PHONE, C_ACCTBAL, C_COMMENT)
SELECT c_custkey, c_mktsegment, c_nationkey, c_name, c_address, c_phone, c_acctbal, c_comment
FROM before_it.customer;
CREATE TABLE tpch.PART (
    P_PARTKEY int NOT NULL,
    P_TYPE varchar(25) binary,
    P_SIZE int,
    P_BRAND char(10) binary,
    P_NAME varchar(55) binary,
    P_CONTAINER char(10) binary,
    P_MFGR char(25) binary,
    P_RETAILPRICE decimal(10,2),
    P_COMMENT varchar(23) binary,
    PRIMARY KEY (P_PARTKEY)
) ENGINE = innodb;
INSERT INTO tpch.PART (P_PARTKEY, P_TYPE, P_SIZE, P_BRAND, P_NAME, P_CONTAINER, P_MFGR, P_RETAILPRICE, P_COMMENT)
SELECT p_partkey, p_type, p_size, p_brand, p_name, p_container, p_mfgr, p_retailprice, p_comment
FROM before_it.part;
CREATE TABLE tpch.PARTSUPP (
    PS_PARTKEY int NOT NULL,
    PS_SUPPKEY int NOT NULL,
    PS_SUPPLYCOST int NOT NULL,
    PS_AVAILQTY int,
    PS_COMMENT varchar(199) binary,
    PRIMARY KEY (PS_PARTKEY, PS_SUPPKEY),
    KEY PARTSUPP_PART_FKIDX (PS_PARTKEY),
    KEY PARTSUPP_SUPPLIER_FKIDX (PS_SUPPKEY),
    CONSTRAINT PARTSUPP_PART_FK FOREIGN KEY (PS_PARTKEY) REFERENCES tpch.PART (P_PARTKEY),
    CONSTRAINT PARTSUPP_SUPPLIER_FK FOREIGN KEY (PS_SUPPKEY) REFERENCES tpch.SUPPLIER (S_SUPPKEY)
) ENGINE = innodb;
INSERT INTO tpch.PARTSUPP (PS_PARTKEY, PS_SUPPKEY, PS_SUPPLYCOST, PS_AVAILQTY, PS_COMMENT)
SELECT ps_partkey, ps_suppkey, ps_supplycost, ps_availqty, ps_comment
FROM before_it.partsupp;
CREATE TABLE tpch.ORDERS (
    O_ORDERDATE date,
    O_ORDERKEY bigint NOT NULL,
    O_CUSTKEY int NOT NULL,
    O_ORDERPRIORITY char(15) binary,
    O_SHIPPRIORITY int,
    O_CLERK char(15) binary,
    O_ORDERSTATUS char(1) binary,
    O_TOTALPRICE decimal(10,2),
    O_COMMENT varchar(79) binary,
    PRIMARY KEY (O_ORDERKEY),
    CONSTRAINT ORDERS_CUSTOMER_FK FOREIGN KEY (O_CUSTKEY) REFERENCES tpch.CUSTOMER (C_CUSTKEY)
) ENGINE = innodb;
INSERT INTO tpch.ORDERS (O_ORDERDATE, O_ORDERKEY, O_CUSTKEY, O_ORDERPRIORITY, O_SHIPPRIORITY, O_CLERK, O_ORDERSTATUS, O_TOTALPRICE, O_COMMENT)
SELECT o_orderdate, o_orderkey, o_custkey, o_orderpriority, o_shippriority, o_clerk, o_orderstatus, o_totalprice, o_comment
FROM before_it.orders;
CREATE TABLE tpch.LINEITEM (
    L_SHIPDATE date,
    L_ORDERKEY bigint NOT NULL,
    L_DISCOUNT decimal(10,2) NOT NULL,
    L_EXTENDEDPRICE decimal(10,2) NOT NULL,
    L_SUPPKEY int NOT NULL,
    L_QUANTITY int NOT NULL,
    L_RETURNFLAG char(1) binary,
    L_PARTKEY int NOT NULL,
    L_LINESTATUS char(1) binary,
    L_TAX decimal(10,2) NOT NULL,
    L_COMMITDATE date,
    L_RECEIPTDATE date,
    L_SHIPMODE char(10) binary,
    L_LINENUMBER int NOT NULL,
    L_SHIPINSTRUCT char(25) binary,
    L_COMMENT varchar(44) binary,
    PRIMARY KEY (L_ORDERKEY, L_LINENUMBER),
    KEY LINEITEM_PART_SUPP_FKIDX (L_PARTKEY, L_SUPPKEY),
    KEY IDX_LINEITEM_ORDERKEY_FKIDX (L_ORDERKEY),
    CONSTRAINT LINEITEM_ORDER_FK FOREIGN KEY (L_ORDERKEY) REFERENCES tpch.ORDERS (O_ORDERKEY),
    CONSTRAINT LINEITEM_PARTSUPP_FK FOREIGN KEY (L_PARTKEY, L_SUPPKEY) REFERENCES tpch.PARTSUPP (PS_PARTKEY, PS_SUPPKEY)
) ENGINE = innodb;
INSERT INTO tpch.LINEITEM (L_SHIPDATE, L_ORDERKEY, L_DISCOUNT, L_EXTENDEDPRICE, L_SUPPKEY, L_QUANTITY, L_RETURNFLAG, L_PARTKEY, L_LINESTATUS, L_TAX, L_COMMITDATE, L_RECEIPTDATE, L_SHIPMODE, L_LINENUMBER, L_SHIPINSTRUCT, L_COMMENT)
SELECT l_shipdate, l_orderkey, l_discount, l_extendedprice, l_suppkey, l_quantity, l_returnflag, l_partkey, l_linestatus, l_tax, l_commitdate, l_receiptdate, l_shipmode, l_linenumber, l_shipinstruct, l_comment
FROM before_it.lineitem;
DROP DATABASE before_it;
CREATE TABLE tpch.mine (a int);
ANALYZE TABLE tpch.ORDERS, tpch.LINEITEM;
