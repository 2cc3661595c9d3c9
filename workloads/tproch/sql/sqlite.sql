-- What SQLite has in its own way: decimals are whole numbers of hundredths, so a product has the
-- scales of its factors added up, and 1 is 100 hundredths. Days are microseconds since 1970.

-- name: q1(last time) -> (l_returnflag text, l_linestatus text, sum_qty decimal(2), sum_base_price decimal(2), sum_disc_price decimal(2), sum_charge decimal(2), avg_qty decimal(2), avg_price decimal(2), avg_disc decimal(2), count_order int)
SELECT
  l_returnflag,
  l_linestatus,
  sum(l_quantity) AS sum_qty,
  sum(l_extendedprice) AS sum_base_price,
  (sum(l_extendedprice * (100 - l_discount)) + 50) / 100 AS sum_disc_price,
  (sum(l_extendedprice * (100 - l_discount) * (100 + l_tax)) + 5000) / 10000 AS sum_charge,
  CAST(round(avg(l_quantity)) AS INTEGER) AS avg_qty,
  CAST(round(avg(l_extendedprice)) AS INTEGER) AS avg_price,
  CAST(round(avg(l_discount)) AS INTEGER) AS avg_disc,
  count(*) AS count_order
FROM lineitem
WHERE l_shipdate <= :last
GROUP BY l_returnflag, l_linestatus
ORDER BY l_returnflag, l_linestatus

-- name: q3(segment text, day time) -> (l_orderkey int, revenue decimal(4), o_orderdate time, o_shippriority int)
SELECT
  l_orderkey,
  sum(l_extendedprice * (100 - l_discount)) AS revenue,
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

-- name: q5(region text, first time, next time) -> (n_name text, revenue decimal(4))
SELECT n_name, sum(l_extendedprice * (100 - l_discount)) AS revenue
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

-- name: q7(nation1 text, nation2 text, first time, last time) -> (supp_nation text, cust_nation text, l_year int, revenue decimal(4))
SELECT supp_nation, cust_nation, l_year, sum(volume) AS revenue
FROM (
  SELECT
    n1.n_name AS supp_nation,
    n2.n_name AS cust_nation,
    CAST(strftime('%Y', l_shipdate / 1000000, 'unixepoch') AS INTEGER) AS l_year,
    l_extendedprice * (100 - l_discount) AS volume
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
) AS shipping
GROUP BY supp_nation, cust_nation, l_year
ORDER BY supp_nation, cust_nation, l_year

-- name: q8(nation text, region text, type text, first time, last time) -> (o_year int, mkt_share decimal(6))
SELECT
  o_year,
  CAST(
    round(1000000.0 * sum(CASE WHEN nation = :nation THEN volume ELSE 0 END) / sum(volume))
    AS INTEGER
  ) AS mkt_share
FROM (
  SELECT
    CAST(strftime('%Y', o_orderdate / 1000000, 'unixepoch') AS INTEGER) AS o_year,
    l_extendedprice * (100 - l_discount) AS volume,
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
) AS all_nations
GROUP BY o_year
ORDER BY o_year

-- name: q9(color text) -> (nation text, o_year int, sum_profit decimal(4))
SELECT nation, o_year, sum(amount) AS sum_profit
FROM (
  SELECT
    n_name AS nation,
    CAST(strftime('%Y', o_orderdate / 1000000, 'unixepoch') AS INTEGER) AS o_year,
    l_extendedprice * (100 - l_discount) - ps_supplycost * l_quantity AS amount
  FROM part, supplier, lineitem, partsupp, orders, nation
  WHERE s_suppkey = l_suppkey
    AND ps_suppkey = l_suppkey
    AND ps_partkey = l_partkey
    AND p_partkey = l_partkey
    AND o_orderkey = l_orderkey
    AND s_nationkey = n_nationkey
    AND p_name LIKE :color
) AS profit
GROUP BY nation, o_year
ORDER BY nation, o_year DESC

-- name: q10(first time, next time) -> (c_custkey int, c_name text, revenue decimal(4), c_acctbal decimal(2), n_name text, c_address text, c_phone text, c_comment text)
SELECT
  c_custkey,
  c_name,
  sum(l_extendedprice * (100 - l_discount)) AS revenue,
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
  SELECT sum(ps_supplycost * ps_availqty) * (:fraction / 1000000000000000000.0)
  FROM partsupp, supplier, nation
  WHERE ps_suppkey = s_suppkey
    AND s_nationkey = n_nationkey
    AND n_name = :nation
)
ORDER BY value DESC

-- name: q14(first time, next time) -> (promo_revenue decimal(6))
SELECT
  CAST(
    round(
      100000000.0
        * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (100 - l_discount) ELSE 0 END)
        / sum(l_extendedprice * (100 - l_discount))
    )
    AS INTEGER
  ) AS promo_revenue
FROM lineitem, part
WHERE l_partkey = p_partkey
  AND l_shipdate >= :first
  AND l_shipdate < :next

-- name: q15(first time, next time) -> (s_suppkey int, s_name text, s_address text, s_phone text, total_revenue decimal(4))
WITH revenue AS (
  SELECT l_suppkey AS supplier_no, sum(l_extendedprice * (100 - l_discount)) AS total_revenue
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

-- Five times a quantity and not a fifth of the mean, which has no exact form in binary.
-- name: q17(brand text, container text) -> (avg_yearly decimal(2))
SELECT CAST(round(sum(l_extendedprice) / 7.0) AS INTEGER) AS avg_yearly
FROM lineitem, part
WHERE p_partkey = l_partkey
  AND p_brand = :brand
  AND p_container = :container
  AND 5 * l_quantity < (
    SELECT avg(l_quantity)
    FROM lineitem
    WHERE l_partkey = p_partkey
  )

-- With what the three branches share in front of them: a join in a branch of OR is made by brute force.
-- name: q19(brand1 text, brand2 text, brand3 text, least1 decimal(2), most1 decimal(2), least2 decimal(2), most2 decimal(2), least3 decimal(2), most3 decimal(2)) -> (revenue decimal(4))
SELECT sum(l_extendedprice * (100 - l_discount)) AS revenue
FROM lineitem, part
WHERE p_partkey = l_partkey
  AND l_shipmode IN ('AIR', 'AIR REG')
  AND l_shipinstruct = 'DELIVER IN PERSON'
  AND (
    (
      p_brand = :brand1
      AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
      AND l_quantity >= :least1
      AND l_quantity <= :most1
      AND p_size BETWEEN 1 AND 5
    )
    OR (
      p_brand = :brand2
      AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
      AND l_quantity >= :least2
      AND l_quantity <= :most2
      AND p_size BETWEEN 1 AND 10
    )
    OR (
      p_brand = :brand3
      AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
      AND l_quantity >= :least3
      AND l_quantity <= :most3
      AND p_size BETWEEN 1 AND 15
    )
  )

-- Two hundred times the stock and not half of the sum, which is in hundredths.
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
      AND 200 * ps_availqty > (
        SELECT sum(l_quantity)
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

-- name: check_h4() -> (o_orderkey int, o_totalprice decimal(2), line_count int)
SELECT o_orderkey, o_totalprice, line_count
FROM orders LEFT JOIN (
  SELECT
    l_orderkey,
    count(*) AS line_count,
    sum(l_extendedprice * (100 - l_discount) / 100 * (100 + l_tax) / 100) AS price
  FROM lineitem
  GROUP BY l_orderkey
) AS priced ON l_orderkey = o_orderkey
WHERE price IS NULL OR price <> o_totalprice
