-- What MySQL and MariaDB have in their own way: TRUNC is called TRUNCATE.

-- name: check_h4() -> (o_orderkey int, o_totalprice decimal(2), line_count int)
SELECT o_orderkey, o_totalprice, line_count
FROM orders LEFT JOIN (
  SELECT
    l_orderkey,
    count(*) AS line_count,
    sum(TRUNCATE(TRUNCATE(l_extendedprice * (1 - l_discount), 2) * (1 + l_tax), 2)) AS price
  FROM lineitem
  GROUP BY l_orderkey
) AS priced ON l_orderkey = o_orderkey
WHERE price IS NULL OR price <> o_totalprice
