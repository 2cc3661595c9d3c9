-- What SQL Server writes in its own way; same signatures as in the base files.
--
-- The year of a date is a function of its own. A mean of whole numbers is cut to one, so they are made
-- decimals first.

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

-- name: q7(first time, last time) -> (supp_nation int, cust_nation text, l_year int, revenue decimal(2))
SELECT supp_nation, cust_nation, l_year, sum(amount) AS revenue
FROM (
  SELECT
    su_nationkey AS supp_nation,
    substring(c_state, 1, 1) AS cust_nation,
    YEAR(o_entry_d) AS l_year,
    ol_amount AS amount
  FROM supplier, stock, order_line, orders, customer, nation n1, nation n2
  WHERE ol_supply_w_id = s_w_id
    AND ol_i_id = s_i_id
    AND s_w_id * s_i_id % 10000 = su_suppkey
    AND ol_w_id = o_w_id
    AND ol_d_id = o_d_id
    AND ol_o_id = o_id
    AND c_id = o_c_id
    AND c_w_id = o_w_id
    AND c_d_id = o_d_id
    AND su_nationkey = n1.n_nationkey
    AND ascii(substring(c_state, 1, 1)) = n2.n_nationkey
    AND (
      (n1.n_name = 'Germany' AND n2.n_name = 'Cambodia')
      OR (n1.n_name = 'Cambodia' AND n2.n_name = 'Germany')
    )
    AND ol_delivery_d BETWEEN :first AND :last
) shipping
GROUP BY supp_nation, cust_nation, l_year
ORDER BY supp_nation, cust_nation, l_year

-- name: q8(first time, last time) -> (l_year int, mkt_share decimal(4))
SELECT
  l_year,
  round(
    sum(CASE WHEN nation = 'Germany' THEN amount ELSE 0 END) / nullif(sum(amount), 0), 4
  ) AS mkt_share
FROM (
  SELECT YEAR(o_entry_d) AS l_year, ol_amount AS amount, n2.n_name AS nation
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

-- name: q9() -> (n_name text, l_year int, sum_profit decimal(2))
SELECT n_name, l_year, sum(amount) AS sum_profit
FROM (
  SELECT n_name, YEAR(o_entry_d) AS l_year, ol_amount AS amount
  FROM item, stock, supplier, order_line, orders, nation
  WHERE ol_i_id = s_i_id
    AND ol_supply_w_id = s_w_id
    AND s_w_id * s_i_id % 10000 = su_suppkey
    AND ol_w_id = o_w_id
    AND ol_d_id = o_d_id
    AND ol_o_id = o_id
    AND ol_i_id = i_id
    AND su_nationkey = n_nationkey
    AND i_data LIKE '%BB'
) profit
GROUP BY n_name, l_year
ORDER BY n_name, l_year DESC

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
