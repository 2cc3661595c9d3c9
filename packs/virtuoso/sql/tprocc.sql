-- A locked row is returned, and deleted next: a DELETE returns none.

-- name: new_order_take(w int, d int) -> (no_o_id int)
SELECT TOP 1 no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id FOR UPDATE
