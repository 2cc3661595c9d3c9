-- Each section breaks what it is named after, and mends it after the line `-- then`.

-- name: n1()
INSERT INTO region VALUES (9, 'Atlantis', '')
-- then
DELETE FROM region WHERE r_regionkey = 9

-- name: n2()
UPDATE nation SET n_regionkey = 7 WHERE n_nationkey = 90
-- then
UPDATE nation SET n_regionkey = 0 WHERE n_nationkey = 90

-- name: n2_n3()
UPDATE nation SET n_nationkey = 1000 WHERE n_nationkey = 71
-- then
UPDATE nation SET n_nationkey = 71 WHERE n_nationkey = 1000

-- name: n4()
UPDATE supplier SET su_suppkey = 20000 WHERE su_suppkey = 17
-- then
UPDATE supplier SET su_suppkey = 17 WHERE su_suppkey = 20000

-- name: q1()
UPDATE order_line SET ol_number = ol_number + 20 WHERE ol_o_id = 1
-- then
UPDATE order_line SET ol_number = ol_number - 20 WHERE ol_o_id = 1
