-- The 22 queries of the CH-benCHmark (Cole et al., "The mixed workload CH-benCHmark", DBTest 2011), in
-- our own words and in the SQL that databases share: those of TPC-H, asked of the tables of TPC-C.
--
-- A stock row belongs to the supplier s_w_id * s_i_id % 10000, a customer to the nation whose key is the
-- code of the first letter of c_state. The paper's bounds of time hold all rows of its own data; ours are
-- bound, from the date of the load, and hold all rows of ours. Means and ratios are rounded.

-- name: q1(first time) -> (ol_number int, sum_qty int, sum_amount decimal(2), avg_qty decimal(2), avg_amount decimal(2), count_order int)
SELECT
  ol_number,
  sum(ol_quantity) AS sum_qty,
  sum(ol_amount) AS sum_amount,
  round(avg(ol_quantity), 2) AS avg_qty,
  round(avg(ol_amount), 2) AS avg_amount,
  count(*) AS count_order
FROM order_line
WHERE ol_delivery_d > :first
GROUP BY ol_number
ORDER BY ol_number

-- name: q2() -> (su_suppkey int, su_name text, n_name text, i_id int, i_name text, su_address text, su_phone text, su_comment text)
SELECT su_suppkey, su_name, n_name, i_id, i_name, su_address, su_phone, su_comment
FROM item, supplier, stock, nation, region, (
  SELECT s_i_id AS m_i_id, min(s_quantity) AS m_s_quantity
  FROM stock, supplier, nation, region
  WHERE s_w_id * s_i_id % 10000 = su_suppkey
    AND su_nationkey = n_nationkey
    AND n_regionkey = r_regionkey
    AND r_name = 'Europe'
  GROUP BY s_i_id
) lowest
WHERE i_id = s_i_id
  AND s_w_id * s_i_id % 10000 = su_suppkey
  AND su_nationkey = n_nationkey
  AND n_regionkey = r_regionkey
  AND i_data LIKE '%b'
  AND r_name = 'Europe'
  AND i_id = m_i_id
  AND s_quantity = m_s_quantity
ORDER BY n_name, su_name, i_id

-- name: q3(first time) -> (ol_o_id int, ol_w_id int, ol_d_id int, revenue decimal(2), o_entry_d time)
SELECT ol_o_id, ol_w_id, ol_d_id, sum(ol_amount) AS revenue, o_entry_d
FROM customer, new_order, orders, order_line
WHERE substring(c_state, 1, 1) = 'A'
  AND c_id = o_c_id
  AND c_w_id = o_w_id
  AND c_d_id = o_d_id
  AND no_w_id = o_w_id
  AND no_d_id = o_d_id
  AND no_o_id = o_id
  AND ol_w_id = o_w_id
  AND ol_d_id = o_d_id
  AND ol_o_id = o_id
  AND o_entry_d > :first
GROUP BY ol_o_id, ol_w_id, ol_d_id, o_entry_d
ORDER BY revenue DESC, o_entry_d

-- name: q4(first time, last time) -> (o_ol_cnt int, order_count int)
SELECT o_ol_cnt, count(*) AS order_count
FROM orders
WHERE o_entry_d >= :first
  AND o_entry_d < :last
  AND EXISTS (
    SELECT *
    FROM order_line
    WHERE ol_w_id = o_w_id
      AND ol_d_id = o_d_id
      AND ol_o_id = o_id
      AND ol_delivery_d >= o_entry_d
  )
GROUP BY o_ol_cnt
ORDER BY o_ol_cnt

-- name: q5(first time) -> (n_name text, revenue decimal(2))
SELECT n_name, sum(ol_amount) AS revenue
FROM customer, orders, order_line, stock, supplier, nation, region
WHERE c_id = o_c_id
  AND c_w_id = o_w_id
  AND c_d_id = o_d_id
  AND ol_w_id = o_w_id
  AND ol_d_id = o_d_id
  AND ol_o_id = o_id
  AND ol_w_id = s_w_id
  AND ol_i_id = s_i_id
  AND s_w_id * s_i_id % 10000 = su_suppkey
  AND ascii(substring(c_state, 1, 1)) = su_nationkey
  AND su_nationkey = n_nationkey
  AND n_regionkey = r_regionkey
  AND r_name = 'Europe'
  AND o_entry_d >= :first
GROUP BY n_name
ORDER BY revenue DESC

-- name: q6(first time, last time) -> (revenue decimal(2))
SELECT sum(ol_amount) AS revenue
FROM order_line
WHERE ol_delivery_d >= :first
  AND ol_delivery_d < :last
  AND ol_quantity BETWEEN 1 AND 100000

-- name: q7(first time, last time) -> (supp_nation int, cust_nation text, l_year int, revenue decimal(2))
SELECT supp_nation, cust_nation, l_year, sum(amount) AS revenue
FROM (
  SELECT
    su_nationkey AS supp_nation,
    substring(c_state, 1, 1) AS cust_nation,
    EXTRACT(YEAR FROM o_entry_d) AS l_year,
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

-- name: q9() -> (n_name text, l_year int, sum_profit decimal(2))
SELECT n_name, l_year, sum(amount) AS sum_profit
FROM (
  SELECT n_name, EXTRACT(YEAR FROM o_entry_d) AS l_year, ol_amount AS amount
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

-- name: q10(first time) -> (c_id int, c_last text, revenue decimal(2), c_city text, c_phone text, n_name text)
SELECT c_id, c_last, sum(ol_amount) AS revenue, c_city, c_phone, n_name
FROM customer, orders, order_line, nation
WHERE c_id = o_c_id
  AND c_w_id = o_w_id
  AND c_d_id = o_d_id
  AND ol_w_id = o_w_id
  AND ol_d_id = o_d_id
  AND ol_o_id = o_id
  AND o_entry_d >= :first
  AND o_entry_d <= ol_delivery_d
  AND n_nationkey = ascii(substring(c_state, 1, 1))
GROUP BY c_id, c_last, c_city, c_phone, n_name
ORDER BY revenue DESC

-- name: q11() -> (s_i_id int, ordercount int)
SELECT s_i_id, sum(s_order_cnt) AS ordercount
FROM stock, supplier, nation
WHERE s_w_id * s_i_id % 10000 = su_suppkey
  AND su_nationkey = n_nationkey
  AND n_name = 'Germany'
GROUP BY s_i_id
HAVING sum(s_order_cnt) > (
  SELECT sum(s_order_cnt) * 0.005
  FROM stock, supplier, nation
  WHERE s_w_id * s_i_id % 10000 = su_suppkey
    AND su_nationkey = n_nationkey
    AND n_name = 'Germany'
)
ORDER BY ordercount DESC

-- name: q12(last time) -> (o_ol_cnt int, high_line_count int, low_line_count int)
SELECT
  o_ol_cnt,
  sum(CASE WHEN o_carrier_id = 1 OR o_carrier_id = 2 THEN 1 ELSE 0 END) AS high_line_count,
  sum(CASE WHEN o_carrier_id <> 1 AND o_carrier_id <> 2 THEN 1 ELSE 0 END) AS low_line_count
FROM orders, order_line
WHERE ol_w_id = o_w_id
  AND ol_d_id = o_d_id
  AND ol_o_id = o_id
  AND o_entry_d <= ol_delivery_d
  AND ol_delivery_d < :last
GROUP BY o_ol_cnt
ORDER BY o_ol_cnt

-- name: q13() -> (c_count int, custdist int)
SELECT c_count, count(*) AS custdist
FROM (
  SELECT c_id, count(o_id) AS c_count
  FROM customer LEFT OUTER JOIN orders
    ON c_w_id = o_w_id
    AND c_d_id = o_d_id
    AND c_id = o_c_id
    AND o_carrier_id > 8
  GROUP BY c_id
) c_orders
GROUP BY c_count
ORDER BY custdist DESC, c_count DESC

-- name: q14(first time, last time) -> (promo_revenue decimal(4))
SELECT
  round(
    100.00 * sum(CASE WHEN i_data LIKE 'PR%' THEN ol_amount ELSE 0 END) / (1 + sum(ol_amount)), 4
  ) AS promo_revenue
FROM order_line, item
WHERE ol_i_id = i_id
  AND ol_delivery_d >= :first
  AND ol_delivery_d < :last

-- name: q15(first time) -> (su_suppkey int, su_name text, su_address text, su_phone text, total_revenue decimal(2))
WITH revenue AS (
  SELECT s_w_id * s_i_id % 10000 AS supplier_no, sum(ol_amount) AS total_revenue
  FROM order_line, stock
  WHERE ol_i_id = s_i_id
    AND ol_supply_w_id = s_w_id
    AND ol_delivery_d >= :first
  GROUP BY s_w_id * s_i_id % 10000
)
SELECT su_suppkey, su_name, su_address, su_phone, total_revenue
FROM supplier, revenue
WHERE su_suppkey = supplier_no
  AND total_revenue = (SELECT max(total_revenue) FROM revenue)
ORDER BY su_suppkey

-- name: q16() -> (i_name text, brand text, i_price decimal(2), supplier_cnt int)
SELECT i_name, brand, i_price, count(DISTINCT supplier_no) AS supplier_cnt
FROM (
  SELECT
    i_name,
    substring(i_data, 1, 3) AS brand,
    i_price,
    s_w_id * s_i_id % 10000 AS supplier_no
  FROM stock, item
  WHERE i_id = s_i_id
    AND i_data NOT LIKE 'zz%'
    AND s_w_id * s_i_id % 10000 NOT IN (
      SELECT su_suppkey
      FROM supplier
      WHERE su_comment LIKE '%bad%'
    )
) offers
GROUP BY i_name, brand, i_price
ORDER BY supplier_cnt DESC

-- name: q17() -> (avg_yearly decimal(2))
SELECT round(sum(ol_amount) / 2.0, 2) AS avg_yearly
FROM order_line, (
  SELECT i_id, avg(ol_quantity) AS a
  FROM item, order_line
  WHERE i_data LIKE '%b'
    AND ol_i_id = i_id
  GROUP BY i_id
) means
WHERE ol_i_id = i_id
  AND ol_quantity < a

-- name: q18() -> (c_last text, c_id int, o_id int, o_entry_d time, o_ol_cnt int, total decimal(2))
SELECT c_last, c_id, o_id, o_entry_d, o_ol_cnt, sum(ol_amount) AS total
FROM customer, orders, order_line
WHERE c_id = o_c_id
  AND c_w_id = o_w_id
  AND c_d_id = o_d_id
  AND ol_w_id = o_w_id
  AND ol_d_id = o_d_id
  AND ol_o_id = o_id
GROUP BY o_id, o_w_id, o_d_id, c_id, c_last, o_entry_d, o_ol_cnt
HAVING sum(ol_amount) > 200
ORDER BY total DESC, o_entry_d

-- name: q19() -> (revenue decimal(2))
SELECT sum(ol_amount) AS revenue
FROM order_line, item
WHERE ol_i_id = i_id
  AND ol_quantity BETWEEN 1 AND 10
  AND i_price BETWEEN 1 AND 400000
  AND (
    (i_data LIKE '%a' AND ol_w_id IN (1, 2, 3))
    OR (i_data LIKE '%b' AND ol_w_id IN (1, 2, 4))
    OR (i_data LIKE '%c' AND ol_w_id IN (1, 5, 3))
  )

-- name: q20(first time) -> (su_name text, su_address text)
SELECT su_name, su_address
FROM supplier, nation
WHERE su_suppkey IN (
    SELECT s_w_id * s_i_id % 10000
    FROM stock, order_line
    WHERE s_i_id IN (
        SELECT i_id
        FROM item
        WHERE i_data LIKE 'co%'
      )
      AND ol_i_id = s_i_id
      AND ol_delivery_d > :first
    GROUP BY s_i_id, s_w_id, s_quantity
    HAVING 2 * s_quantity > sum(ol_quantity)
  )
  AND su_nationkey = n_nationkey
  AND n_name = 'Germany'
ORDER BY su_name

-- name: q21() -> (su_name text, numwait int)
SELECT su_name, count(*) AS numwait
FROM supplier, order_line l1, orders, stock, nation
WHERE l1.ol_w_id = o_w_id
  AND l1.ol_d_id = o_d_id
  AND l1.ol_o_id = o_id
  AND l1.ol_w_id = s_w_id
  AND l1.ol_i_id = s_i_id
  AND s_w_id * s_i_id % 10000 = su_suppkey
  AND l1.ol_delivery_d > o_entry_d
  AND NOT EXISTS (
    SELECT *
    FROM order_line l2
    WHERE l2.ol_w_id = l1.ol_w_id
      AND l2.ol_d_id = l1.ol_d_id
      AND l2.ol_o_id = l1.ol_o_id
      AND l2.ol_delivery_d > l1.ol_delivery_d
  )
  AND su_nationkey = n_nationkey
  AND n_name = 'Germany'
GROUP BY su_name
ORDER BY numwait DESC, su_name

-- name: q22() -> (country text, numcust int, totacctbal decimal(2))
SELECT country, count(*) AS numcust, sum(c_balance) AS totacctbal
FROM (
  SELECT substring(c_state, 1, 1) AS country, c_balance
  FROM customer
  WHERE substring(c_phone, 1, 1) IN ('1', '2', '3', '4', '5', '6', '7')
    AND c_balance > (
      SELECT avg(c_balance)
      FROM customer
      WHERE c_balance > 0
        AND substring(c_phone, 1, 1) IN ('1', '2', '3', '4', '5', '6', '7')
    )
    AND NOT EXISTS (
      SELECT *
      FROM orders
      WHERE o_w_id = c_w_id
        AND o_d_id = c_d_id
        AND o_c_id = c_id
    )
) idle
GROUP BY country
ORDER BY country
