-- name: lost_bulk_row()
DELETE FROM sbtest2 WHERE id = 7

-- name: moved_bulk_row()
UPDATE sbtest3 SET id = 100000 WHERE id = 5

-- name: other_k()
UPDATE sbtest1 SET k = 1 WHERE id = 3
