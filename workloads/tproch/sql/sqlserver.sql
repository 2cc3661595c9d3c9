-- What SQL Server writes in its own way; same signatures as in the base files.
-- ROUND cuts off if it has a third argument.

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
