-- A locking read locks each row that it reads: the smallest key alone is one row, and MIN reads all of the district.

-- name: new_order_take(w int, d int) -> (no_o_id int)
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE

-- name: oldest_new_order(w int, d int) -> (no_o_id int)
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE
