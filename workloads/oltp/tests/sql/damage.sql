-- name: lost_row()
DELETE FROM sbtest2 WHERE id = 7

-- name: moved_row()
UPDATE sbtest3 SET id = 501 WHERE id = 500

-- name: short_c()
UPDATE sbtest1 SET c = 'short' WHERE id = 3

-- name: short_pad()
UPDATE sbtest2 SET pad = '' WHERE id = 4
