-- The 13 queries of Oracle's public set for analytic clouds, rewritten from what is known of them: fixed
-- values, no row of Q8 to Q11, whose priorities have blanks that no row has or whose rows cannot be.
-- A span of time has its two ends, which are bound as everywhere. The percentiles are the continuous
-- ones: the mean of the two values next to the place, by their distance from it.

-- name: c1(first time, next time) -> (p_brand text, revenue decimal(4))
SELECT p_brand, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM lineitem, part
WHERE l_partkey = p_partkey
  AND l_shipdate >= :first
  AND l_shipdate < :next
GROUP BY p_brand
ORDER BY revenue DESC, p_brand
LIMIT 10

-- name: c2() -> (median_price decimal(2))
SELECT
  round(sum(o_totalprice * (2 - abs(2.0 * place - places - 1))) / 2, 2)
    AS median_price
FROM (
  SELECT
    o_totalprice,
    row_number() OVER (ORDER BY o_totalprice) AS place,
    count(*) OVER () AS places
  FROM customer, orders, nation
  WHERE c_custkey = o_custkey
    AND c_nationkey = n_nationkey
    AND n_name = 'GERMANY'
) placed
WHERE abs(2.0 * place - places - 1) < 2

-- name: c3() -> (upper_price decimal(2))
SELECT
  round(sum(o_totalprice * (4 - abs(4.0 * place - 3 * places - 1))) / 4, 2)
    AS upper_price
FROM (
  SELECT
    o_totalprice,
    row_number() OVER (ORDER BY o_totalprice) AS place,
    count(*) OVER () AS places
  FROM customer, orders, nation
  WHERE c_custkey = o_custkey
    AND c_nationkey = n_nationkey
    AND n_name = 'GERMANY'
) placed
WHERE abs(4.0 * place - 3 * places - 1) < 4

-- name: c4(first time, next time) -> (median_discount decimal(2))
SELECT
  round(sum(l_discount * (2 - abs(2.0 * place - places - 1))) / 2, 2)
    AS median_discount
FROM (
  SELECT
    l_discount,
    row_number() OVER (ORDER BY l_discount) AS place,
    count(*) OVER () AS places
  FROM customer, orders, lineitem, nation
  WHERE c_custkey = o_custkey
    AND l_orderkey = o_orderkey
    AND c_nationkey = n_nationkey
    AND n_name = 'GERMANY'
    AND o_orderdate >= :first
    AND o_orderdate < :next
) placed
WHERE abs(2.0 * place - places - 1) < 2

-- name: c5(first time, next time) -> (sum_qty decimal(2), sum_base_price decimal(2), sum_disc_price decimal(2), sum_charge decimal(2), avg_qty decimal(2), avg_price decimal(2), avg_disc decimal(2), count_order int)
SELECT
  sum(l_quantity) AS sum_qty,
  sum(l_extendedprice) AS sum_base_price,
  round(sum(l_extendedprice * (1 - l_discount)), 2) AS sum_disc_price,
  round(sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), 2) AS sum_charge,
  round(avg(l_quantity), 2) AS avg_qty,
  round(avg(l_extendedprice), 2) AS avg_price,
  round(avg(l_discount), 2) AS avg_disc,
  count(*) AS count_order
FROM lineitem, orders
WHERE l_orderkey = o_orderkey
  AND o_orderdate >= :first
  AND o_orderdate < :next
  AND o_clerk = 'Clerk#007373565'

-- name: c6() -> (c_name text, orders int)
SELECT c_name, count(*) AS orders
FROM customer, orders
WHERE c_custkey = o_custkey
  AND o_orderstatus = 'F'
  AND EXISTS (
    SELECT *
    FROM lineitem, part
    WHERE l_orderkey = o_orderkey
      AND l_partkey = p_partkey
      AND (p_size < 5 OR p_type = 'STANDARD PLATED TIN')
  )
GROUP BY c_name
ORDER BY c_name
LIMIT 100

-- name: c7() -> (p_partkey int, line_count int)
SELECT p_partkey, count(*) AS line_count
FROM part, lineitem
WHERE l_partkey = p_partkey
  AND l_discount < 0.02
  AND p_size < 41
GROUP BY p_partkey
ORDER BY p_partkey
LIMIT 100

-- name: c8(day time) -> (p_partkey int, p_name text, amount decimal(4))
SELECT p_partkey, p_name, l_quantity * l_extendedprice AS amount
FROM orders, lineitem, part
WHERE l_orderkey = o_orderkey
  AND l_partkey = p_partkey
  AND o_orderdate = :day
  AND o_orderpriority = '1 - URGENT'
  AND o_totalprice > 200000
ORDER BY amount, p_partkey
LIMIT 10

-- name: c9(first time, next time) -> (l_orderkey int, l_linenumber int, l_partkey int, l_quantity decimal(2), l_extendedprice decimal(2), s_name text, s_phone text)
SELECT l_orderkey, l_linenumber, l_partkey, l_quantity, l_extendedprice, s_name, s_phone
FROM orders, lineitem, supplier
WHERE l_orderkey = o_orderkey
  AND l_suppkey = s_suppkey
  AND o_orderdate >= :first
  AND o_orderdate < :next
  AND o_orderpriority = '4 - NOT SPECIFIED'
  AND o_totalprice < 10000
ORDER BY l_orderkey, l_linenumber

-- name: c10() -> (l_orderkey int, l_linenumber int)
SELECT l_orderkey, l_linenumber
FROM lineitem
WHERE NOT EXISTS (SELECT * FROM orders WHERE o_orderkey = l_orderkey)
  AND NOT EXISTS (SELECT * FROM supplier WHERE s_suppkey = l_suppkey)

-- name: c11() -> (l_orderkey int, l_linenumber int)
SELECT l_orderkey, l_linenumber
FROM lineitem
WHERE l_orderkey NOT IN (SELECT o_orderkey FROM orders)
  AND l_suppkey NOT IN (SELECT s_suppkey FROM supplier)
ORDER BY l_orderkey, l_linenumber
LIMIT 100

-- name: c12(first time, next time) -> (o_orderkey int, o_orderdate time, o_totalprice decimal(2))
SELECT o_orderkey, o_orderdate, o_totalprice
FROM orders
WHERE o_orderdate >= :first
  AND o_orderdate < :next
  AND o_totalprice < 1500
  AND (o_orderkey, CAST(o_orderdate - INTERVAL '1' MONTH AS DATE)) NOT IN (
    SELECT l_orderkey, CASE WHEN l_linestatus = 'F' THEN CAST(l_commitdate AS DATE) END
    FROM lineitem
    WHERE l_shipmode = 'RAIL'
  )
ORDER BY o_orderkey
LIMIT 100

-- name: c13() -> (p_brand text, p_type text, p_size int, supplier_cnt int)
SELECT p_brand, p_type, p_size, count(DISTINCT ps_suppkey) AS supplier_cnt
FROM partsupp, part
WHERE p_partkey = ps_partkey
  AND p_brand <> 'Brand#15'
  AND p_type NOT LIKE 'LARGE PLATED%'
  AND p_size = 21
  AND ps_suppkey NOT IN (
    SELECT s_suppkey
    FROM supplier
    WHERE s_comment LIKE '%Customer%Complaints%'
  )
GROUP BY p_brand, p_type, p_size
ORDER BY supplier_cnt DESC, p_brand, p_type, p_size
