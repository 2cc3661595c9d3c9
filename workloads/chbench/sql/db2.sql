-- What Db2 writes in its own way; same signatures as in the base files. Not run against a live Db2.
--
-- A mean of whole numbers is cut to one, so they are made decimals first. A quotient of two decimals of 31
-- digits has no digits after the point, so it is made of DECFLOAT.

-- name: q1(first time) -> (ol_number int, sum_qty int, sum_amount decimal(2), avg_qty decimal(2), avg_amount decimal(2), count_order int)
SELECT
  ol_number,
  sum(ol_quantity) AS sum_qty,
  sum(ol_amount) AS sum_amount,
  round(avg(CAST(ol_quantity AS DECIMAL(8, 2))), 2) AS avg_qty,
  round(avg(ol_amount), 2) AS avg_amount,
  count(*) AS count_order
FROM order_line
WHERE ol_delivery_d > :first
GROUP BY ol_number
ORDER BY ol_number

-- name: q8(first time, last time) -> (l_year int, mkt_share decimal(4))
SELECT
  l_year,
  CAST(
    round(
      CAST(sum(CASE WHEN nation = 'Germany' THEN amount ELSE 0 END) AS DECFLOAT) / nullif(sum(amount), 0), 4
    )
    AS DECIMAL(31, 4)
  ) AS mkt_share
FROM (
  SELECT EXTRACT(YEAR FROM o_entry_d) AS l_year, ol_amount AS amount, n2.n_name AS nation
  FROM item, supplier, stock, order_line, orders, customer, nation n1, nation n2, region
  WHERE i_id = s_i_id
    AND ol_i_id = s_i_id
    AND ol_supply_w_id = s_w_id
    AND s_w_id * s_i_id % 10000 = su_suppkey
    AND ol_w_id = o_w_id
    AND ol_d_id = o_d_id
    AND ol_o_id = o_id
    AND c_id = o_c_id
    AND c_w_id = o_w_id
    AND c_d_id = o_d_id
    AND n1.n_nationkey = ascii(substring(c_state, 1, 1))
    AND n1.n_regionkey = r_regionkey
    AND ol_i_id < 1000
    AND r_name = 'Europe'
    AND su_nationkey = n2.n_nationkey
    AND o_entry_d BETWEEN :first AND :last
    AND i_data LIKE '%b'
) all_nations
GROUP BY l_year
ORDER BY l_year

-- name: q14(first time, last time) -> (promo_revenue decimal(4))
SELECT
  CAST(
    round(
      100 * CAST(sum(CASE WHEN i_data LIKE 'PR%' THEN ol_amount ELSE 0 END) AS DECFLOAT)
        / (1 + sum(ol_amount)),
      4
    )
    AS DECIMAL(31, 4)
  ) AS promo_revenue
FROM order_line, item
WHERE ol_i_id = i_id
  AND ol_delivery_d >= :first
  AND ol_delivery_d < :last

-- name: q17() -> (avg_yearly decimal(2))
SELECT CAST(round(CAST(sum(ol_amount) AS DECFLOAT) / 2, 2) AS DECIMAL(31, 2)) AS avg_yearly
FROM order_line, (
  SELECT i_id, avg(CAST(ol_quantity AS DECIMAL(8, 2))) AS a
  FROM item, order_line
  WHERE i_data LIKE '%b'
    AND ol_i_id = i_id
  GROUP BY i_id
) means
WHERE ol_i_id = i_id
  AND ol_quantity < a
