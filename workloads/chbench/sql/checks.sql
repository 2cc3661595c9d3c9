-- The conditions on the three tables that the queries need in addition to those of TPC-C, and on the references
-- to them. Each query returns one row for each violation; LIMIT 1000 bounds the answer, so a count of 1000
-- means "at least 1000".

-- name: check_n1(regions int, nations int, suppliers int) -> (name text, rows_found int)
SELECT 'region' AS name, count(*) AS rows_found FROM region HAVING count(*) <> :regions
UNION ALL
SELECT 'nation' AS name, count(*) AS rows_found FROM nation HAVING count(*) <> :nations
UNION ALL
SELECT 'supplier' AS name, count(*) AS rows_found FROM supplier HAVING count(*) <> :suppliers

-- name: check_n2() -> (name text, key_found int)
SELECT 'nation to region' AS name, n_nationkey AS key_found
FROM nation LEFT JOIN region ON r_regionkey = n_regionkey
WHERE r_regionkey IS NULL
UNION ALL
SELECT 'supplier to nation' AS name, su_suppkey AS key_found
FROM supplier LEFT JOIN nation ON n_nationkey = su_nationkey
WHERE n_nationkey IS NULL
ORDER BY name, key_found
LIMIT 1000

-- name: check_n3(first int, last int) -> (w int, d int, c int, c_state text)
SELECT c_w_id, c_d_id, c_id, c_state
FROM customer LEFT JOIN nation ON n_nationkey = ascii(substring(c_state, 1, 1))
WHERE n_nationkey IS NULL
  AND c_w_id BETWEEN :first AND :last
ORDER BY c_w_id, c_d_id, c_id
LIMIT 1000

-- name: check_n4(first int, last int) -> (w int, i int)
SELECT s_w_id, s_i_id
FROM stock LEFT JOIN supplier ON su_suppkey = s_w_id * s_i_id % 10000
WHERE su_suppkey IS NULL
  AND s_w_id BETWEEN :first AND :last
ORDER BY s_w_id, s_i_id
LIMIT 1000

-- The three tables as a whole, which are compared with what the load made of them.

-- name: sample_region() -> (r_regionkey int, r_name text, r_comment text)
SELECT r_regionkey, r_name, r_comment
FROM region
ORDER BY r_regionkey

-- name: sample_nation() -> (n_nationkey int, n_name text, n_regionkey int, n_comment text)
SELECT n_nationkey, n_name, n_regionkey, n_comment
FROM nation
ORDER BY n_nationkey

-- name: sample_supplier() -> (su_suppkey int, su_name text, su_address text, su_nationkey int, su_phone text, su_acctbal decimal(2), su_comment text)
SELECT su_suppkey, su_name, su_address, su_nationkey, su_phone, su_acctbal, su_comment
FROM supplier
ORDER BY su_suppkey
