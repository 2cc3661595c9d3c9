-- What HammerDB asks in another way here: Q15 is one of a view.

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
