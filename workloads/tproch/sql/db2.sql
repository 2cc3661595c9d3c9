-- What Db2 writes in its own way; same signatures as in the base files. Not run against a live Db2.
--
-- A quotient of two decimals of 31 digits has no digits after the point, so it is made of DECFLOAT. A parameter
-- that multiplies a decimal would take its type, and with it two digits.

-- name: q8(nation text, region text, type text, first time, last time) -> (o_year int, mkt_share decimal(6))
SELECT
  o_year,
  CAST(
    round(CAST(sum(CASE WHEN nation = :nation THEN volume ELSE 0 END) AS DECFLOAT) / sum(volume), 6)
    AS DECIMAL(31, 6)
  ) AS mkt_share
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

-- name: q11(nation text, fraction decimal(18)) -> (ps_partkey int, value decimal(2))
SELECT ps_partkey, sum(ps_supplycost * ps_availqty) AS value
FROM partsupp, supplier, nation
WHERE ps_suppkey = s_suppkey
  AND s_nationkey = n_nationkey
  AND n_name = :nation
GROUP BY ps_partkey
HAVING sum(ps_supplycost * ps_availqty) > (
  SELECT sum(ps_supplycost * ps_availqty) * CAST(:fraction AS DECIMAL(19, 18))
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
      100 * CAST(
        sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) AS DECFLOAT
      ) / sum(l_extendedprice * (1 - l_discount)),
      6
    )
    AS DECIMAL(31, 6)
  ) AS promo_revenue
FROM lineitem, part
WHERE l_partkey = p_partkey
  AND l_shipdate >= :first
  AND l_shipdate < :next

-- name: q17(brand text, container text) -> (avg_yearly decimal(2))
SELECT CAST(round(CAST(sum(l_extendedprice) AS DECFLOAT) / 7, 2) AS DECIMAL(31, 2)) AS avg_yearly
FROM lineitem, part
WHERE p_partkey = l_partkey
  AND p_brand = :brand
  AND p_container = :container
  AND l_quantity < (
    SELECT 0.2 * avg(l_quantity)
    FROM lineitem
    WHERE l_partkey = p_partkey
  )
