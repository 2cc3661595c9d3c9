-- What SQLite has in its own way of the cloud's queries, as in its other file: decimals are hundredths,
-- days microseconds.

-- name: c1(first time, next time) -> (p_brand text, revenue decimal(4))
SELECT p_brand, sum(l_extendedprice * (100 - l_discount)) AS revenue
FROM lineitem, part
WHERE l_partkey = p_partkey
  AND l_shipdate >= :first
  AND l_shipdate < :next
GROUP BY p_brand
ORDER BY revenue DESC, p_brand
LIMIT 10

-- name: c2() -> (median_price decimal(2))
SELECT
  (sum(o_totalprice * (2 - abs(2 * place - places - 1))) + 1) / 2
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
) AS placed
WHERE abs(2 * place - places - 1) < 2

-- name: c3() -> (upper_price decimal(2))
SELECT
  (sum(o_totalprice * (4 - abs(4 * place - 3 * places - 1))) + 2) / 4
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
) AS placed
WHERE abs(4 * place - 3 * places - 1) < 4

-- name: c4(first time, next time) -> (median_discount decimal(2))
SELECT
  (sum(l_discount * (2 - abs(2 * place - places - 1))) + 1) / 2
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
) AS placed
WHERE abs(2 * place - places - 1) < 2

-- name: c5(first time, next time) -> (sum_qty decimal(2), sum_base_price decimal(2), sum_disc_price decimal(2), sum_charge decimal(2), avg_qty decimal(2), avg_price decimal(2), avg_disc decimal(2), count_order int)
SELECT
  sum(l_quantity) AS sum_qty,
  sum(l_extendedprice) AS sum_base_price,
  (sum(l_extendedprice * (100 - l_discount)) + 50) / 100 AS sum_disc_price,
  (sum(l_extendedprice * (100 - l_discount) * (100 + l_tax)) + 5000) / 10000 AS sum_charge,
  CAST(round(avg(l_quantity)) AS INTEGER) AS avg_qty,
  CAST(round(avg(l_extendedprice)) AS INTEGER) AS avg_price,
  CAST(round(avg(l_discount)) AS INTEGER) AS avg_disc,
  count(*) AS count_order
FROM lineitem, orders
WHERE l_orderkey = o_orderkey
  AND o_orderdate >= :first
  AND o_orderdate < :next
  AND o_clerk = 'Clerk#007373565'

-- name: c7() -> (p_partkey int, line_count int)
SELECT p_partkey, count(*) AS line_count
FROM part, lineitem
WHERE l_partkey = p_partkey
  AND l_discount < 2
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
  AND o_totalprice > 20000000
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
  AND o_totalprice < 1000000
ORDER BY l_orderkey, l_linenumber

-- name: c12(first time, next time) -> (o_orderkey int, o_orderdate time, o_totalprice decimal(2))
SELECT o_orderkey, o_orderdate, o_totalprice
FROM orders
WHERE o_orderdate >= :first
  AND o_orderdate < :next
  AND o_totalprice < 150000
  AND (o_orderkey, CAST(strftime('%s', o_orderdate / 1000000, 'unixepoch', '-1 month') AS INTEGER) * 1000000) NOT IN (
    SELECT l_orderkey, CASE WHEN l_linestatus = 'F' THEN l_commitdate END
    FROM lineitem
    WHERE l_shipmode = 'RAIL'
  )
ORDER BY o_orderkey
LIMIT 100
