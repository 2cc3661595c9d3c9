-- The statements of sysbench's OLTP scripts, each for the table sbtest: a number is added to the name for each
-- table, and to the names of the statements.

-- name: point(id int) -> (c text)
SELECT c FROM sbtest WHERE id = :id

-- name: simple_range(low int, high int) -> (c text)
SELECT c FROM sbtest WHERE id BETWEEN :low AND :high

-- name: sum_range(low int, high int) -> (sum_k int)
SELECT SUM(k) FROM sbtest WHERE id BETWEEN :low AND :high

-- name: order_range(low int, high int) -> (c text)
SELECT c FROM sbtest WHERE id BETWEEN :low AND :high ORDER BY c

-- name: distinct_range(low int, high int) -> (c text)
SELECT DISTINCT c FROM sbtest WHERE id BETWEEN :low AND :high ORDER BY c

-- name: index_update(id int)
UPDATE sbtest SET k = k + 1 WHERE id = :id

-- name: non_index_update(c text, id int)
UPDATE sbtest SET c = :c WHERE id = :id

-- name: delete_row(id int)
DELETE FROM sbtest WHERE id = :id

-- name: insert_row(id int, k int, c text, pad text)
INSERT INTO sbtest (id, k, c, pad) VALUES (:id, :k, :c, :pad)

-- As many rows as bulk_rows says, in the tables of bulk-insert: both numbers of a row are the same.
-- name: insert_rows(id int)
INSERT INTO sbtest (id, k) VALUES (:id, :id)

-- As many values as random_points says.
-- name: random_points(k int) -> (id int, k int, c text, pad text)
SELECT id, k, c, pad FROM sbtest WHERE k IN (:k)

-- As many ranges as number_of_ranges says.
-- name: random_ranges(low int, high int) -> (rows_found int)
SELECT COUNT(k) FROM sbtest WHERE k BETWEEN :low AND :high
