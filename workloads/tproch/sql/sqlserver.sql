-- What SQL Server writes in its own way; same signatures as in the base files.
--
-- The year of a date is a function of its own, and ROUND cuts off if it has a third argument.

-- name: q7(nation1 text, nation2 text, first time, last time) -> (supp_nation text, cust_nation text, l_year int, revenue decimal(4))
SELECT supp_nation, cust_nation, l_year, sum(volume) AS revenue
FROM (
  SELECT
    n1.n_name AS supp_nation,
    n2.n_name AS cust_nation,
    YEAR(l_shipdate) AS l_year,
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
    YEAR(o_orderdate) AS o_year,
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
    YEAR(o_orderdate) AS o_year,
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

-- name: check_h4() -> (o_orderkey int, o_totalprice decimal(2), found int)
SELECT o_orderkey, o_totalprice, found
FROM orders LEFT JOIN (
  SELECT
    l_orderkey,
    count(*) AS found,
    sum(round(round(l_extendedprice * (1 - l_discount), 2, 1) * (1 + l_tax), 2, 1)) AS price
  FROM lineitem
  GROUP BY l_orderkey
) priced ON l_orderkey = o_orderkey
WHERE price IS NULL OR price <> o_totalprice
