-- What SQLite has in its own way: decimals are whole numbers of hundredths, times are microseconds since
-- 1970, the code of a letter is called unicode, and LIKE takes upper and lower case for the same.

-- name: q1(first time) -> (ol_number int, sum_qty int, sum_amount decimal(2), avg_qty decimal(2), avg_amount decimal(2), count_order int)
SELECT
  ol_number,
  sum(ol_quantity) AS sum_qty,
  sum(ol_amount) AS sum_amount,
  CAST(round(100 * avg(ol_quantity)) AS INTEGER) AS avg_qty,
  CAST(round(avg(ol_amount)) AS INTEGER) AS avg_amount,
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
) AS lowest
WHERE i_id = s_i_id
  AND s_w_id * s_i_id % 10000 = su_suppkey
  AND su_nationkey = n_nationkey
  AND n_regionkey = r_regionkey
  AND i_data GLOB '*b'
  AND r_name = 'Europe'
  AND i_id = m_i_id
  AND s_quantity = m_s_quantity
ORDER BY n_name, su_name, i_id

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
  AND unicode(c_state) = su_nationkey
  AND su_nationkey = n_nationkey
  AND n_regionkey = r_regionkey
  AND r_name = 'Europe'
  AND o_entry_d >= :first
GROUP BY n_name
ORDER BY revenue DESC

-- name: q7(first time, last time) -> (supp_nation int, cust_nation text, l_year int, revenue decimal(2))
SELECT supp_nation, cust_nation, l_year, sum(amount) AS revenue
FROM (
  SELECT
    su_nationkey AS supp_nation,
    substr(c_state, 1, 1) AS cust_nation,
    CAST(strftime('%Y', o_entry_d / 1000000, 'unixepoch') AS INTEGER) AS l_year,
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
    AND unicode(c_state) = n2.n_nationkey
    AND (
      (n1.n_name = 'Germany' AND n2.n_name = 'Cambodia')
      OR (n1.n_name = 'Cambodia' AND n2.n_name = 'Germany')
    )
    AND ol_delivery_d BETWEEN :first AND :last
) AS shipping
GROUP BY supp_nation, cust_nation, l_year
ORDER BY supp_nation, cust_nation, l_year

-- name: q8(first time, last time) -> (l_year int, mkt_share decimal(4))
SELECT
  l_year,
  CAST(
    round(10000.0 * sum(CASE WHEN nation = 'Germany' THEN amount ELSE 0 END) / sum(amount))
    AS INTEGER
  ) AS mkt_share
FROM (
  SELECT CAST(strftime('%Y', o_entry_d / 1000000, 'unixepoch') AS INTEGER) AS l_year, ol_amount AS amount, n2.n_name AS nation
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
    AND n1.n_nationkey = unicode(c_state)
    AND n1.n_regionkey = r_regionkey
    AND ol_i_id < 1000
    AND r_name = 'Europe'
    AND su_nationkey = n2.n_nationkey
    AND o_entry_d BETWEEN :first AND :last
    AND i_data GLOB '*b'
) AS all_nations
GROUP BY l_year
ORDER BY l_year

-- name: q9() -> (n_name text, l_year int, sum_profit decimal(2))
SELECT n_name, l_year, sum(amount) AS sum_profit
FROM (
  SELECT n_name, CAST(strftime('%Y', o_entry_d / 1000000, 'unixepoch') AS INTEGER) AS l_year, ol_amount AS amount
  FROM item, stock, supplier, order_line, orders, nation
  WHERE ol_i_id = s_i_id
    AND ol_supply_w_id = s_w_id
    AND s_w_id * s_i_id % 10000 = su_suppkey
    AND ol_w_id = o_w_id
    AND ol_d_id = o_d_id
    AND ol_o_id = o_id
    AND ol_i_id = i_id
    AND su_nationkey = n_nationkey
    AND i_data GLOB '*BB'
) AS profit
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
  AND n_nationkey = unicode(c_state)
GROUP BY c_id, c_last, c_city, c_phone, n_name
ORDER BY revenue DESC

-- name: q14(first time, last time) -> (promo_revenue decimal(4))
SELECT
  CAST(
    round(
      1000000.0 * sum(CASE WHEN i_data GLOB 'PR*' THEN ol_amount ELSE 0 END)
      / (100 + sum(ol_amount))
    ) AS INTEGER
  ) AS promo_revenue
FROM order_line, item
WHERE ol_i_id = i_id
  AND ol_delivery_d >= :first
  AND ol_delivery_d < :last

-- name: q16() -> (i_name text, brand text, i_price decimal(2), supplier_cnt int)
SELECT i_name, brand, i_price, count(DISTINCT supplier_no) AS supplier_cnt
FROM (
  SELECT
    i_name,
    substr(i_data, 1, 3) AS brand,
    i_price,
    s_w_id * s_i_id % 10000 AS supplier_no
  FROM stock, item
  WHERE i_id = s_i_id
    AND i_data NOT GLOB 'zz*'
    AND s_w_id * s_i_id % 10000 NOT IN (
      SELECT su_suppkey
      FROM supplier
      WHERE su_comment GLOB '*bad*'
    )
) AS offers
GROUP BY i_name, brand, i_price
ORDER BY supplier_cnt DESC

-- name: q17() -> (avg_yearly decimal(2))
SELECT CAST(round(sum(ol_amount) / 2.0) AS INTEGER) AS avg_yearly
FROM order_line, (
  SELECT i_id, avg(ol_quantity) AS a
  FROM item, order_line
  WHERE i_data GLOB '*b'
    AND ol_i_id = i_id
  GROUP BY i_id
) AS means
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
HAVING sum(ol_amount) > 20000
ORDER BY total DESC, o_entry_d

-- name: q19() -> (revenue decimal(2))
SELECT sum(ol_amount) AS revenue
FROM order_line, item
WHERE ol_i_id = i_id
  AND ol_quantity BETWEEN 1 AND 10
  AND i_price BETWEEN 100 AND 40000000
  AND (
    (i_data GLOB '*a' AND ol_w_id IN (1, 2, 3))
    OR (i_data GLOB '*b' AND ol_w_id IN (1, 2, 4))
    OR (i_data GLOB '*c' AND ol_w_id IN (1, 5, 3))
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
        WHERE i_data GLOB 'co*'
      )
      AND ol_i_id = s_i_id
      AND ol_delivery_d > :first
    GROUP BY s_i_id, s_w_id, s_quantity
    HAVING 2 * s_quantity > sum(ol_quantity)
  )
  AND su_nationkey = n_nationkey
  AND n_name = 'Germany'
ORDER BY su_name

-- name: check_n3(first int, last int) -> (w int, d int, c int, c_state text)
SELECT c_w_id, c_d_id, c_id, c_state
FROM customer LEFT JOIN nation ON n_nationkey = unicode(c_state)
WHERE n_nationkey IS NULL
  AND c_w_id BETWEEN :first AND :last
LIMIT 1000
