-- name: a(x int, y decimal(2)) -> (n int)
SELECT n FROM q WHERE x = :x AND y = :y
;
UPDATE q SET x = :x
