-- The conditions on the data. Each query returns one row for each violation.

-- The rows that clause 4.2.5 asks for. Of lines it gives no exact number: their sums are in H4.
-- name: check_h1(regions int, nations int, suppliers int, customers int, parts int, partsupps int, orders int) -> (name text, rows_found int)
SELECT 'region' AS name, count(*) AS rows_found FROM region HAVING count(*) <> :regions
UNION ALL
SELECT 'nation' AS name, count(*) AS rows_found FROM nation HAVING count(*) <> :nations
UNION ALL
SELECT 'supplier' AS name, count(*) AS rows_found FROM supplier HAVING count(*) <> :suppliers
UNION ALL
SELECT 'customer' AS name, count(*) AS rows_found FROM customer HAVING count(*) <> :customers
UNION ALL
SELECT 'part' AS name, count(*) AS rows_found FROM part HAVING count(*) <> :parts
UNION ALL
SELECT 'partsupp' AS name, count(*) AS rows_found FROM partsupp HAVING count(*) <> :partsupps
UNION ALL
SELECT 'orders' AS name, count(*) AS rows_found FROM orders
HAVING count(*) <> :orders
  + (SELECT sum(CASE f_function WHEN 1 THEN f_orders ELSE -f_orders END) FROM refreshes)

-- Keys, clause 1.4.2.1.
-- name: check_h2() -> (name text, first_key int, second_key int)
SELECT 'region' AS name, r_regionkey AS first_key, 0 AS second_key
FROM region GROUP BY r_regionkey HAVING count(*) > 1
UNION ALL
SELECT 'nation' AS name, n_nationkey AS first_key, 0 AS second_key
FROM nation GROUP BY n_nationkey HAVING count(*) > 1
UNION ALL
SELECT 'supplier' AS name, s_suppkey AS first_key, 0 AS second_key
FROM supplier GROUP BY s_suppkey HAVING count(*) > 1
UNION ALL
SELECT 'customer' AS name, c_custkey AS first_key, 0 AS second_key
FROM customer GROUP BY c_custkey HAVING count(*) > 1
UNION ALL
SELECT 'part' AS name, p_partkey AS first_key, 0 AS second_key
FROM part GROUP BY p_partkey HAVING count(*) > 1
UNION ALL
SELECT 'partsupp' AS name, ps_partkey AS first_key, ps_suppkey AS second_key
FROM partsupp GROUP BY ps_partkey, ps_suppkey HAVING count(*) > 1
UNION ALL
SELECT 'orders' AS name, o_orderkey AS first_key, 0 AS second_key
FROM orders GROUP BY o_orderkey HAVING count(*) > 1
UNION ALL
SELECT 'lineitem' AS name, l_orderkey AS first_key, l_linenumber AS second_key
FROM lineitem GROUP BY l_orderkey, l_linenumber HAVING count(*) > 1

-- References, clause 1.4.2.3.
-- name: check_h3() -> (name text, first_key int, second_key int)
SELECT 'nation to region' AS name, n_nationkey AS first_key, 0 AS second_key
FROM nation LEFT JOIN region ON r_regionkey = n_regionkey
WHERE r_regionkey IS NULL
UNION ALL
SELECT 'supplier to nation' AS name, s_suppkey AS first_key, 0 AS second_key
FROM supplier LEFT JOIN nation ON n_nationkey = s_nationkey
WHERE n_nationkey IS NULL
UNION ALL
SELECT 'customer to nation' AS name, c_custkey AS first_key, 0 AS second_key
FROM customer LEFT JOIN nation ON n_nationkey = c_nationkey
WHERE n_nationkey IS NULL
UNION ALL
SELECT 'partsupp to part' AS name, ps_partkey AS first_key, ps_suppkey AS second_key
FROM partsupp LEFT JOIN part ON p_partkey = ps_partkey
WHERE p_partkey IS NULL
UNION ALL
SELECT 'partsupp to supplier' AS name, ps_partkey AS first_key, ps_suppkey AS second_key
FROM partsupp LEFT JOIN supplier ON s_suppkey = ps_suppkey
WHERE s_suppkey IS NULL
UNION ALL
SELECT 'orders to customer' AS name, o_orderkey AS first_key, 0 AS second_key
FROM orders LEFT JOIN customer ON c_custkey = o_custkey
WHERE c_custkey IS NULL
UNION ALL
SELECT 'lineitem to orders' AS name, l_orderkey AS first_key, l_linenumber AS second_key
FROM lineitem LEFT JOIN orders ON o_orderkey = l_orderkey
WHERE o_orderkey IS NULL
UNION ALL
SELECT 'lineitem to partsupp' AS name, l_orderkey AS first_key, l_linenumber AS second_key
FROM lineitem LEFT JOIN partsupp ON ps_partkey = l_partkey AND ps_suppkey = l_suppkey
WHERE ps_partkey IS NULL

-- The price of an order is the sum of its lines, cut to cents after each product as dbgen does it.
-- name: check_h4() -> (o_orderkey int, o_totalprice decimal(2), line_count int)
SELECT o_orderkey, o_totalprice, line_count
FROM orders LEFT JOIN (
  SELECT
    l_orderkey,
    count(*) AS line_count,
    sum(trunc(trunc(l_extendedprice * (1 - l_discount), 2) * (1 + l_tax), 2)) AS price
  FROM lineitem
  GROUP BY l_orderkey
) priced ON l_orderkey = o_orderkey
WHERE price IS NULL OR price <> o_totalprice

-- An order is finished with its last line and open before its first, clause 4.2.3.
-- name: check_h5() -> (o_orderkey int, o_orderstatus text)
SELECT o_orderkey, o_orderstatus
FROM orders JOIN (
  SELECT l_orderkey, min(l_linestatus) AS least, max(l_linestatus) AS most
  FROM lineitem
  GROUP BY l_orderkey
) states ON l_orderkey = o_orderkey
WHERE o_orderstatus <> CASE WHEN least <> most THEN 'P' ELSE least END

-- The refreshes have come to their end, clause 2.5, and left what they say: of each key the sequence,
-- its part from 8 to 31 of 32, is 0 in the load and above it in what a refresh has inserted.
-- name: check_h6(loaded int) -> (last_inserted_set int, last_deleted_set int, inserted int, deleted int, order_count int)
SELECT
  came.f_set AS last_inserted_set,
  went.f_set AS last_deleted_set,
  came.f_orders AS inserted,
  went.f_orders AS deleted,
  (SELECT count(*) FROM orders WHERE o_orderkey % 32 >= 8) AS order_count
FROM refreshes came, refreshes went
WHERE came.f_function = 1
  AND went.f_function = 2
  AND (
    came.f_set <> went.f_set
    OR came.f_orders <> went.f_orders
    OR (SELECT count(*) FROM orders WHERE o_orderkey % 32 >= 8)
      <> came.f_orders - CASE WHEN went.f_orders > :loaded THEN went.f_orders - :loaded ELSE 0 END
  )

-- Ranges of rows that are compared with what the load made of them. No query changes them, and the refreshes
-- touch orders and their lines alone: how far RF2 has come determines which of them are left.

-- name: sample_region(first int, last int) -> (r_regionkey int, r_name text, r_comment text)
SELECT r_regionkey, r_name, r_comment
FROM region
WHERE r_regionkey BETWEEN :first AND :last
ORDER BY r_regionkey

-- name: sample_nation(first int, last int) -> (n_nationkey int, n_name text, n_regionkey int, n_comment text)
SELECT n_nationkey, n_name, n_regionkey, n_comment
FROM nation
WHERE n_nationkey BETWEEN :first AND :last
ORDER BY n_nationkey

-- name: sample_supplier(first int, last int) -> (s_suppkey int, s_name text, s_address text, s_nationkey int, s_phone text, s_acctbal decimal(2), s_comment text)
SELECT s_suppkey, s_name, s_address, s_nationkey, s_phone, s_acctbal, s_comment
FROM supplier
WHERE s_suppkey BETWEEN :first AND :last
ORDER BY s_suppkey

-- name: sample_customer(first int, last int) -> (c_custkey int, c_name text, c_address text, c_nationkey int, c_phone text, c_acctbal decimal(2), c_mktsegment text, c_comment text)
SELECT c_custkey, c_name, c_address, c_nationkey, c_phone, c_acctbal, c_mktsegment, c_comment
FROM customer
WHERE c_custkey BETWEEN :first AND :last
ORDER BY c_custkey

-- name: sample_part(first int, last int) -> (p_partkey int, p_name text, p_mfgr text, p_brand text, p_type text, p_size int, p_container text, p_retailprice decimal(2), p_comment text)
SELECT p_partkey, p_name, p_mfgr, p_brand, p_type, p_size, p_container, p_retailprice, p_comment
FROM part
WHERE p_partkey BETWEEN :first AND :last
ORDER BY p_partkey

-- name: sample_partsupp(first int, last int) -> (ps_partkey int, ps_suppkey int, ps_availqty int, ps_supplycost decimal(2), ps_comment text)
SELECT ps_partkey, ps_suppkey, ps_availqty, ps_supplycost, ps_comment
FROM partsupp
WHERE ps_partkey BETWEEN :first AND :last
ORDER BY ps_partkey, ps_suppkey

-- name: sample_orders(first int, last int) -> (o_orderkey int, o_custkey int, o_orderstatus text, o_totalprice decimal(2), o_orderdate time, o_orderpriority text, o_clerk text, o_shippriority int, o_comment text, f_set int, f_done int)
SELECT o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate, o_orderpriority, o_clerk,
    o_shippriority, o_comment, f_set, f_done
FROM refreshes LEFT JOIN orders ON o_orderkey BETWEEN :first AND :last
WHERE f_function = 2
ORDER BY o_orderkey

-- name: sample_lineitem(first int, last int) -> (l_orderkey int, l_linenumber int, l_partkey int, l_suppkey int, l_quantity decimal(2), l_extendedprice decimal(2), l_discount decimal(2), l_tax decimal(2), l_returnflag text, l_linestatus text, l_shipdate time, l_commitdate time, l_receiptdate time, l_shipinstruct text, l_shipmode text, l_comment text, f_set int, f_done int)
SELECT l_orderkey, l_linenumber, l_partkey, l_suppkey, l_quantity, l_extendedprice, l_discount, l_tax,
    l_returnflag, l_linestatus, l_shipdate, l_commitdate, l_receiptdate, l_shipinstruct, l_shipmode,
    l_comment, f_set, f_done
FROM refreshes LEFT JOIN lineitem ON l_orderkey BETWEEN :first AND :last
WHERE f_function = 2
ORDER BY l_orderkey, l_linenumber
