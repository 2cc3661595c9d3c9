-- What SQL Server writes in its own way; same signatures as in the base files.
-- Cents are cut off by FLOOR, whose argument is raised by less than a hundredth, for servers that keep decimals as
-- binary numbers.

-- name: check_h4() -> (o_orderkey int, o_totalprice decimal(2), line_count int)
SELECT o_orderkey, o_totalprice, line_count
FROM orders LEFT JOIN (
  SELECT
    l_orderkey,
    count(*) AS line_count,
    sum(
      floor(floor(100 * l_extendedprice * (1 - l_discount) + 0.001) * (1 + l_tax) + 0.001)
    ) AS cents
  FROM lineitem
  GROUP BY l_orderkey
) priced ON l_orderkey = o_orderkey
WHERE cents IS NULL OR abs(cents - 100 * o_totalprice) >= 0.5
