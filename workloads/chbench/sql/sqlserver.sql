-- What SQL Server writes in its own way; same signatures as in the base files.
-- A mean of whole numbers is cut to one, so they are made decimals first.

-- name: q1(first time) -> (ol_number int, sum_qty int, sum_amount decimal(2), avg_qty decimal(2), avg_amount decimal(2), count_order int)
SELECT
  ol_number,
  sum(ol_quantity) AS sum_qty,
  sum(ol_amount) AS sum_amount,
  round(avg(1.0 * ol_quantity), 2) AS avg_qty,
  round(avg(ol_amount), 2) AS avg_amount,
  count(*) AS count_order
FROM order_line
WHERE ol_delivery_d > :first
GROUP BY ol_number
ORDER BY ol_number

-- name: q17() -> (avg_yearly decimal(2))
SELECT round(sum(ol_amount) / 2.0, 2) AS avg_yearly
FROM order_line, (
  SELECT i_id, avg(1.0 * ol_quantity) AS a
  FROM item, order_line
  WHERE i_data LIKE '%b'
    AND ol_i_id = i_id
  GROUP BY i_id
) means
WHERE ol_i_id = i_id
  AND ol_quantity < a
