-- The refresh functions of clause 2.5, and the table that says how far they have come: a row for
-- each of the two functions, written in the same transaction as what it tells of.

-- name: refresh_read() -> (f_set int, f_done int, f_orders int, f_lines int)
SELECT f_set, f_done, f_orders, f_lines FROM refreshes ORDER BY f_function

-- Nothing is written if the function has changed its place: another client refreshes the same tables.
-- name: refresh_write(set int, done int, orders int, lines int, function int, old_set int, old_done int)
UPDATE refreshes
SET f_set = :set, f_done = :done, f_orders = f_orders + :orders, f_lines = f_lines + :lines
WHERE f_function = :function AND f_set = :old_set AND f_done = :old_done

-- What the commits of both functions move; read before and after a run.
-- name: refreshed_total() -> (inserted int, deleted int)
SELECT
    SUM(CASE WHEN f_function = 1 THEN f_orders + f_lines ELSE 0 END),
    SUM(CASE WHEN f_function = 2 THEN f_orders + f_lines ELSE 0 END)
FROM refreshes

-- name: insert_order(o_orderkey int, o_custkey int, o_orderstatus text, o_totalprice decimal(2), o_orderdate time, o_orderpriority text, o_clerk text, o_shippriority int, o_comment text)
INSERT INTO orders (
  o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate, o_orderpriority, o_clerk,
  o_shippriority, o_comment
) VALUES (
  :o_orderkey, :o_custkey, :o_orderstatus, :o_totalprice, :o_orderdate, :o_orderpriority, :o_clerk,
  :o_shippriority, :o_comment
)

-- name: insert_line(l_orderkey int, l_partkey int, l_suppkey int, l_linenumber int, l_quantity decimal(2), l_extendedprice decimal(2), l_discount decimal(2), l_tax decimal(2), l_returnflag text, l_linestatus text, l_shipdate time, l_commitdate time, l_receiptdate time, l_shipinstruct text, l_shipmode text, l_comment text)
INSERT INTO lineitem (
  l_orderkey, l_partkey, l_suppkey, l_linenumber, l_quantity, l_extendedprice, l_discount, l_tax,
  l_returnflag, l_linestatus, l_shipdate, l_commitdate, l_receiptdate, l_shipinstruct, l_shipmode,
  l_comment
) VALUES (
  :l_orderkey, :l_partkey, :l_suppkey, :l_linenumber, :l_quantity, :l_extendedprice, :l_discount,
  :l_tax, :l_returnflag, :l_linestatus, :l_shipdate, :l_commitdate, :l_receiptdate,
  :l_shipinstruct, :l_shipmode, :l_comment
)

-- name: delete_lines(key int)
DELETE FROM lineitem WHERE l_orderkey = :key

-- name: delete_order(key int)
DELETE FROM orders WHERE o_orderkey = :key
