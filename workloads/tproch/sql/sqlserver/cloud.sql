-- SQL Server compares no rows. A line that is not finished has no date there, so that its order is left out
-- as well: an unknown answer is no answer.

-- name: c12(first time, next time) -> (o_orderkey int, o_orderdate time, o_totalprice decimal(2))
SELECT o_orderkey, o_orderdate, o_totalprice
FROM orders
WHERE o_orderdate >= :first
  AND o_orderdate < :next
  AND o_totalprice < 1500
  AND NOT EXISTS (
    SELECT *
    FROM lineitem
    WHERE l_shipmode = 'RAIL'
      AND l_orderkey = o_orderkey
      AND (l_linestatus <> 'F' OR l_commitdate = DATEADD(MONTH, -1, o_orderdate))
  )
ORDER BY o_orderkey
LIMIT 100
