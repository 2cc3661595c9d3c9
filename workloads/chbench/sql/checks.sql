-- The conditions on the three tables that the queries need in addition to those of TPC-C, and on the references
-- to them. Each query returns one row for each violation; LIMIT 1000 bounds the answer, so a count of 1000
-- means "at least 1000".

-- name: check_n1(regions int, nations int, suppliers int) -> (name text, found int)
SELECT 'region' AS name, count(*) AS found FROM region HAVING count(*) <> :regions
UNION ALL
SELECT 'nation' AS name, count(*) AS found FROM nation HAVING count(*) <> :nations
UNION ALL
SELECT 'supplier' AS name, count(*) AS found FROM supplier HAVING count(*) <> :suppliers

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
