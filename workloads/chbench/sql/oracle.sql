-- What Oracle writes in its own way; same signatures as in the base files. Not run against a live server.

-- Rows of a union are limited in a query around it.
-- name: check_n2() -> (name text, key_found int)
SELECT name, key_found
FROM (
  SELECT 'nation to region' AS name, n_nationkey AS key_found
  FROM nation LEFT JOIN region ON r_regionkey = n_regionkey
  WHERE r_regionkey IS NULL
  UNION ALL
  SELECT 'supplier to nation' AS name, su_suppkey AS key_found
  FROM supplier LEFT JOIN nation ON n_nationkey = su_nationkey
  WHERE n_nationkey IS NULL
) violations
ORDER BY name, key_found
LIMIT 1000
