-- What HammerDB asks in another way here: its queries have no row limits, and Q15 is one of a view.

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

-- The view of the revenues stands at both places where it is read, as the server would put it there:
-- a view is computed twice, a common table expression once.
-- name: q15(first time, next time) -> (s_suppkey int, s_name text, s_address text, s_phone text, total_revenue decimal(4))
SELECT s_suppkey, s_name, s_address, s_phone, total_revenue
FROM
  supplier,
  (
    SELECT l_suppkey AS supplier_no, sum(l_extendedprice * (1 - l_discount)) AS total_revenue
    FROM lineitem
    WHERE l_shipdate >= :first
      AND l_shipdate < :next
    GROUP BY l_suppkey
  ) AS revenue
WHERE s_suppkey = supplier_no
  AND total_revenue = (
    SELECT max(total_revenue)
    FROM (
      SELECT l_suppkey AS supplier_no, sum(l_extendedprice * (1 - l_discount)) AS total_revenue
      FROM lineitem
      WHERE l_shipdate >= :first
        AND l_shipdate < :next
      GROUP BY l_suppkey
    ) AS again
  )
ORDER BY s_suppkey
