-- Each section breaks what it is named after, and mends it after the line `-- then`. Decimals are
-- whole numbers of hundredths here.

-- name: h1()
INSERT INTO region VALUES (5, 'ATLANTIS', '')
-- then
DELETE FROM region WHERE r_regionkey = 5

-- name: h1_h2()
ALTER TABLE region RENAME TO keyed; CREATE TABLE region AS SELECT * FROM keyed; INSERT INTO region SELECT * FROM keyed WHERE r_regionkey = 0
-- then
DROP TABLE region; ALTER TABLE keyed RENAME TO region

-- name: h3_q2()
UPDATE nation SET n_regionkey = n_regionkey + 7
-- then
UPDATE nation SET n_regionkey = n_regionkey - 7

-- name: h4_q1_q6()
UPDATE lineitem SET l_discount = l_discount + 1
-- then
UPDATE lineitem SET l_discount = l_discount - 1

-- name: h3_h4_q18()
UPDATE lineitem SET l_quantity = -l_quantity, l_orderkey = -l_orderkey WHERE l_orderkey = 29158
-- then
UPDATE lineitem SET l_quantity = -l_quantity, l_orderkey = -l_orderkey WHERE l_orderkey = -29158

-- name: h5_q4()
UPDATE lineitem SET l_linestatus = 'X' || l_linestatus, l_commitdate = -l_commitdate
-- then
UPDATE lineitem SET l_linestatus = substr(l_linestatus, 2), l_commitdate = -l_commitdate

-- name: q3_q10_q22()
UPDATE orders SET o_custkey = o_custkey + 1 WHERE o_custkey < 1500
-- then
UPDATE orders SET o_custkey = o_custkey - 1 WHERE o_custkey <= 1500

-- name: q13()
UPDATE orders SET o_comment = 'special requests' || o_comment WHERE o_orderkey < 1000
-- then
UPDATE orders SET o_comment = substr(o_comment, 17) WHERE o_orderkey < 1000
