-- The 22 queries of TPC-H, clause 2.4, in our own words and in the SQL that all databases share.
--
-- Parameters are those of clause 2.4, with two exceptions: a span of time has its two ends, and a
-- pattern is bound as a whole, so that no text needs a database's own arithmetic or joining of texts.
-- Sums that outgrow 18 digits, means and ratios are rounded; clause 2.1.3.5 asks for two digits.
-- Row limits are those of clause 2.4.

-- name: q1(last time) -> (l_returnflag text, l_linestatus text, sum_qty decimal(2), sum_base_price decimal(2), sum_disc_price decimal(2), sum_charge decimal(2), avg_qty decimal(2), avg_price decimal(2), avg_disc decimal(2), count_order int)
SELECT
  l_returnflag,
  l_linestatus,
  sum(l_quantity) AS sum_qty,
  sum(l_extendedprice) AS sum_base_price,
  round(sum(l_extendedprice * (1 - l_discount)), 2) AS sum_disc_price,
  round(sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), 2) AS sum_charge,
  round(avg(l_quantity), 2) AS avg_qty,
  round(avg(l_extendedprice), 2) AS avg_price,
  round(avg(l_discount), 2) AS avg_disc,
  count(*) AS count_order
FROM lineitem
WHERE l_shipdate <= :last
GROUP BY l_returnflag, l_linestatus
ORDER BY l_returnflag, l_linestatus

-- name: q2(size int, type text, region text) -> (s_acctbal decimal(2), s_name text, n_name text, p_partkey int, p_mfgr text, s_address text, s_phone text, s_comment text)
SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
FROM part, supplier, partsupp, nation, region
WHERE p_partkey = ps_partkey
  AND s_suppkey = ps_suppkey
  AND p_size = :size
  AND p_type LIKE :type
  AND s_nationkey = n_nationkey
  AND n_regionkey = r_regionkey
  AND r_name = :region
  AND ps_supplycost = (
    SELECT min(ps_supplycost)
    FROM partsupp, supplier, nation, region
    WHERE p_partkey = ps_partkey
      AND s_suppkey = ps_suppkey
      AND s_nationkey = n_nationkey
      AND n_regionkey = r_regionkey
      AND r_name = :region
  )
ORDER BY s_acctbal DESC, n_name, s_name, p_partkey
LIMIT 100

-- name: q3(segment text, day time) -> (l_orderkey int, revenue decimal(4), o_orderdate time, o_shippriority int)
SELECT
  l_orderkey,
  sum(l_extendedprice * (1 - l_discount)) AS revenue,
  o_orderdate,
  o_shippriority
FROM customer, orders, lineitem
WHERE c_mktsegment = :segment
  AND c_custkey = o_custkey
  AND l_orderkey = o_orderkey
  AND o_orderdate < :day
  AND l_shipdate > :day
GROUP BY l_orderkey, o_orderdate, o_shippriority
ORDER BY revenue DESC, o_orderdate
LIMIT 10

-- name: q4(first time, next time) -> (o_orderpriority text, order_count int)
SELECT o_orderpriority, count(*) AS order_count
FROM orders
WHERE o_orderdate >= :first
  AND o_orderdate < :next
  AND EXISTS (
    SELECT *
    FROM lineitem
    WHERE l_orderkey = o_orderkey
      AND l_commitdate < l_receiptdate
  )
GROUP BY o_orderpriority
ORDER BY o_orderpriority

-- name: q5(region text, first time, next time) -> (n_name text, revenue decimal(4))
SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey
  AND l_orderkey = o_orderkey
  AND l_suppkey = s_suppkey
  AND c_nationkey = s_nationkey
  AND s_nationkey = n_nationkey
  AND n_regionkey = r_regionkey
  AND r_name = :region
  AND o_orderdate >= :first
  AND o_orderdate < :next
GROUP BY n_name
ORDER BY revenue DESC

-- name: q6(first time, next time, least decimal(2), most decimal(2), quantity decimal(2)) -> (revenue decimal(4))
SELECT sum(l_extendedprice * l_discount) AS revenue
FROM lineitem
WHERE l_shipdate >= :first
  AND l_shipdate < :next
  AND l_discount BETWEEN :least AND :most
  AND l_quantity < :quantity

-- name: q7(nation1 text, nation2 text, first time, last time) -> (supp_nation text, cust_nation text, l_year int, revenue decimal(4))
SELECT supp_nation, cust_nation, l_year, sum(volume) AS revenue
FROM (
  SELECT
    n1.n_name AS supp_nation,
    n2.n_name AS cust_nation,
    EXTRACT(YEAR FROM l_shipdate) AS l_year,
    l_extendedprice * (1 - l_discount) AS volume
  FROM supplier, lineitem, orders, customer, nation n1, nation n2
  WHERE s_suppkey = l_suppkey
    AND o_orderkey = l_orderkey
    AND c_custkey = o_custkey
    AND s_nationkey = n1.n_nationkey
    AND c_nationkey = n2.n_nationkey
    AND (
      (n1.n_name = :nation1 AND n2.n_name = :nation2)
      OR (n1.n_name = :nation2 AND n2.n_name = :nation1)
    )
    AND l_shipdate BETWEEN :first AND :last
) shipping
GROUP BY supp_nation, cust_nation, l_year
ORDER BY supp_nation, cust_nation, l_year

-- name: q8(nation text, region text, type text, first time, last time) -> (o_year int, mkt_share decimal(6))
SELECT
  o_year,
  round(sum(CASE WHEN nation = :nation THEN volume ELSE 0 END) / sum(volume), 6) AS mkt_share
FROM (
  SELECT
    EXTRACT(YEAR FROM o_orderdate) AS o_year,
    l_extendedprice * (1 - l_discount) AS volume,
    n2.n_name AS nation
  FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region
  WHERE p_partkey = l_partkey
    AND s_suppkey = l_suppkey
    AND l_orderkey = o_orderkey
    AND o_custkey = c_custkey
    AND c_nationkey = n1.n_nationkey
    AND n1.n_regionkey = r_regionkey
    AND r_name = :region
    AND s_nationkey = n2.n_nationkey
    AND o_orderdate BETWEEN :first AND :last
    AND p_type = :type
) all_nations
GROUP BY o_year
ORDER BY o_year

-- name: q9(color text) -> (nation text, o_year int, sum_profit decimal(4))
SELECT nation, o_year, sum(amount) AS sum_profit
FROM (
  SELECT
    n_name AS nation,
    EXTRACT(YEAR FROM o_orderdate) AS o_year,
    l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
  FROM part, supplier, lineitem, partsupp, orders, nation
  WHERE s_suppkey = l_suppkey
    AND ps_suppkey = l_suppkey
    AND ps_partkey = l_partkey
    AND p_partkey = l_partkey
    AND o_orderkey = l_orderkey
    AND s_nationkey = n_nationkey
    AND p_name LIKE :color
) profit
GROUP BY nation, o_year
ORDER BY nation, o_year DESC

-- name: q10(first time, next time) -> (c_custkey int, c_name text, revenue decimal(4), c_acctbal decimal(2), n_name text, c_address text, c_phone text, c_comment text)
SELECT
  c_custkey,
  c_name,
  sum(l_extendedprice * (1 - l_discount)) AS revenue,
  c_acctbal,
  n_name,
  c_address,
  c_phone,
  c_comment
FROM customer, orders, lineitem, nation
WHERE c_custkey = o_custkey
  AND l_orderkey = o_orderkey
  AND o_orderdate >= :first
  AND o_orderdate < :next
  AND l_returnflag = 'R'
  AND c_nationkey = n_nationkey
GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
ORDER BY revenue DESC
LIMIT 20

-- name: q11(nation text, fraction decimal(18)) -> (ps_partkey int, value decimal(2))
SELECT ps_partkey, sum(ps_supplycost * ps_availqty) AS value
FROM partsupp, supplier, nation
WHERE ps_suppkey = s_suppkey
  AND s_nationkey = n_nationkey
  AND n_name = :nation
GROUP BY ps_partkey
HAVING sum(ps_supplycost * ps_availqty) > (
  SELECT sum(ps_supplycost * ps_availqty) * :fraction
  FROM partsupp, supplier, nation
  WHERE ps_suppkey = s_suppkey
    AND s_nationkey = n_nationkey
    AND n_name = :nation
)
ORDER BY value DESC

-- name: q12(mode1 text, mode2 text, first time, next time) -> (l_shipmode text, high_line_count int, low_line_count int)
SELECT
  l_shipmode,
  sum(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END)
    AS high_line_count,
  sum(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END)
    AS low_line_count
FROM orders, lineitem
WHERE o_orderkey = l_orderkey
  AND l_shipmode IN (:mode1, :mode2)
  AND l_commitdate < l_receiptdate
  AND l_shipdate < l_commitdate
  AND l_receiptdate >= :first
  AND l_receiptdate < :next
GROUP BY l_shipmode
ORDER BY l_shipmode

-- name: q13(words text) -> (c_count int, custdist int)
SELECT c_count, count(*) AS custdist
FROM (
  SELECT c_custkey, count(o_orderkey) AS c_count
  FROM customer LEFT OUTER JOIN orders
    ON c_custkey = o_custkey AND o_comment NOT LIKE :words
  GROUP BY c_custkey
) c_orders
GROUP BY c_count
ORDER BY custdist DESC, c_count DESC

-- name: q14(first time, next time) -> (promo_revenue decimal(6))
SELECT
  round(
    100.00 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END)
      / sum(l_extendedprice * (1 - l_discount)),
    6
  ) AS promo_revenue
FROM lineitem, part
WHERE l_partkey = p_partkey
  AND l_shipdate >= :first
  AND l_shipdate < :next

-- The variant of appendix B with a common table expression: no view is made and left behind.
-- name: q15(first time, next time) -> (s_suppkey int, s_name text, s_address text, s_phone text, total_revenue decimal(4))
WITH revenue AS (
  SELECT l_suppkey AS supplier_no, sum(l_extendedprice * (1 - l_discount)) AS total_revenue
  FROM lineitem
  WHERE l_shipdate >= :first
    AND l_shipdate < :next
  GROUP BY l_suppkey
)
SELECT s_suppkey, s_name, s_address, s_phone, total_revenue
FROM supplier, revenue
WHERE s_suppkey = supplier_no
  AND total_revenue = (SELECT max(total_revenue) FROM revenue)
ORDER BY s_suppkey

-- name: q16(brand text, type text, size1 int, size2 int, size3 int, size4 int, size5 int, size6 int, size7 int, size8 int) -> (p_brand text, p_type text, p_size int, supplier_cnt int)
SELECT p_brand, p_type, p_size, count(DISTINCT ps_suppkey) AS supplier_cnt
FROM partsupp, part
WHERE p_partkey = ps_partkey
  AND p_brand <> :brand
  AND p_type NOT LIKE :type
  AND p_size IN (:size1, :size2, :size3, :size4, :size5, :size6, :size7, :size8)
  AND ps_suppkey NOT IN (
    SELECT s_suppkey
    FROM supplier
    WHERE s_comment LIKE '%Customer%Complaints%'
  )
GROUP BY p_brand, p_type, p_size
ORDER BY supplier_cnt DESC, p_brand, p_type, p_size

-- name: q17(brand text, container text) -> (avg_yearly decimal(2))
SELECT round(sum(l_extendedprice) / 7.0, 2) AS avg_yearly
FROM lineitem, part
WHERE p_partkey = l_partkey
  AND p_brand = :brand
  AND p_container = :container
  AND l_quantity < (
    SELECT 0.2 * avg(l_quantity)
    FROM lineitem
    WHERE l_partkey = p_partkey
  )

-- name: q18(quantity decimal(2)) -> (c_name text, c_custkey int, o_orderkey int, o_orderdate time, o_totalprice decimal(2), sum_qty decimal(2))
SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) AS sum_qty
FROM customer, orders, lineitem
WHERE o_orderkey IN (
    SELECT l_orderkey
    FROM lineitem
    GROUP BY l_orderkey
    HAVING sum(l_quantity) > :quantity
  )
  AND c_custkey = o_custkey
  AND o_orderkey = l_orderkey
GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
ORDER BY o_totalprice DESC, o_orderdate
LIMIT 100

-- name: q19(brand1 text, brand2 text, brand3 text, least1 decimal(2), most1 decimal(2), least2 decimal(2), most2 decimal(2), least3 decimal(2), most3 decimal(2)) -> (revenue decimal(4))
SELECT sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM lineitem, part
WHERE (
    p_partkey = l_partkey
    AND p_brand = :brand1
    AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
    AND l_quantity >= :least1
    AND l_quantity <= :most1
    AND p_size BETWEEN 1 AND 5
    AND l_shipmode IN ('AIR', 'AIR REG')
    AND l_shipinstruct = 'DELIVER IN PERSON'
  )
  OR (
    p_partkey = l_partkey
    AND p_brand = :brand2
    AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
    AND l_quantity >= :least2
    AND l_quantity <= :most2
    AND p_size BETWEEN 1 AND 10
    AND l_shipmode IN ('AIR', 'AIR REG')
    AND l_shipinstruct = 'DELIVER IN PERSON'
  )
  OR (
    p_partkey = l_partkey
    AND p_brand = :brand3
    AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
    AND l_quantity >= :least3
    AND l_quantity <= :most3
    AND p_size BETWEEN 1 AND 15
    AND l_shipmode IN ('AIR', 'AIR REG')
    AND l_shipinstruct = 'DELIVER IN PERSON'
  )

-- name: q20(color text, first time, next time, nation text) -> (s_name text, s_address text)
SELECT s_name, s_address
FROM supplier, nation
WHERE s_suppkey IN (
    SELECT ps_suppkey
    FROM partsupp
    WHERE ps_partkey IN (
        SELECT p_partkey
        FROM part
        WHERE p_name LIKE :color
      )
      AND ps_availqty > (
        SELECT 0.5 * sum(l_quantity)
        FROM lineitem
        WHERE l_partkey = ps_partkey
          AND l_suppkey = ps_suppkey
          AND l_shipdate >= :first
          AND l_shipdate < :next
      )
  )
  AND s_nationkey = n_nationkey
  AND n_name = :nation
ORDER BY s_name

-- name: q21(nation text) -> (s_name text, numwait int)
SELECT s_name, count(*) AS numwait
FROM supplier, lineitem l1, orders, nation
WHERE s_suppkey = l1.l_suppkey
  AND o_orderkey = l1.l_orderkey
  AND o_orderstatus = 'F'
  AND l1.l_receiptdate > l1.l_commitdate
  AND EXISTS (
    SELECT *
    FROM lineitem l2
    WHERE l2.l_orderkey = l1.l_orderkey
      AND l2.l_suppkey <> l1.l_suppkey
  )
  AND NOT EXISTS (
    SELECT *
    FROM lineitem l3
    WHERE l3.l_orderkey = l1.l_orderkey
      AND l3.l_suppkey <> l1.l_suppkey
      AND l3.l_receiptdate > l3.l_commitdate
  )
  AND s_nationkey = n_nationkey
  AND n_name = :nation
GROUP BY s_name
ORDER BY numwait DESC, s_name
LIMIT 100

-- name: q22(code1 text, code2 text, code3 text, code4 text, code5 text, code6 text, code7 text) -> (cntrycode text, numcust int, totacctbal decimal(2))
SELECT cntrycode, count(*) AS numcust, sum(c_acctbal) AS totacctbal
FROM (
  SELECT substring(c_phone, 1, 2) AS cntrycode, c_acctbal
  FROM customer
  WHERE substring(c_phone, 1, 2)
      IN (:code1, :code2, :code3, :code4, :code5, :code6, :code7)
    AND c_acctbal > (
      SELECT avg(c_acctbal)
      FROM customer
      WHERE c_acctbal > 0.00
        AND substring(c_phone, 1, 2)
          IN (:code1, :code2, :code3, :code4, :code5, :code6, :code7)
    )
    AND NOT EXISTS (
      SELECT *
      FROM orders
      WHERE o_custkey = c_custkey
    )
) custsale
GROUP BY cntrycode
ORDER BY cntrycode
