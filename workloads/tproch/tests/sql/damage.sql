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

-- All suppliers of one nation are of another; phones keep which ones.
-- name: r1()
UPDATE supplier SET s_nationkey = 8, s_phone = 'x' || s_phone WHERE s_nationkey = 7
-- then
UPDATE supplier SET s_nationkey = 7, s_phone = substr(s_phone, 2) WHERE s_phone LIKE 'x%'

-- name: r2()
UPDATE customer SET c_mktsegment = 'NONE', c_phone = c_mktsegment || c_phone
-- then
UPDATE customer
SET c_mktsegment = substr(c_phone, 1, length(c_phone) - 15), c_phone = substr(c_phone, -15)

-- name: r3()
UPDATE part SET p_container = 'JUMBO ' || p_container WHERE p_partkey % 20 = 3
-- then
UPDATE part SET p_container = substr(p_container, 7) WHERE p_partkey % 20 = 3

-- One date in a hundred.
-- name: r4()
UPDATE lineitem SET l_receiptdate = l_receiptdate + 86400000000 WHERE l_orderkey % 100 = 1
-- then
UPDATE lineitem SET l_receiptdate = l_receiptdate - 86400000000 WHERE l_orderkey % 100 = 1
