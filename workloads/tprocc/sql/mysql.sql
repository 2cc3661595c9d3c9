-- What differs for MySQL and MariaDB; same signatures as in the base files.

-- A plain read sees the table as it was when the transaction began, and would name an order that
-- another delivery has taken since: with 4 sessions on 1 warehouse, 16 to 23 % of the districts were
-- skipped. A locking read sees it as it is and waits for the other delivery. MySQL has no DELETE that
-- returns its row.
-- name: new_order_take(w int, d int) -> (no_o_id int)
SELECT MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = :d FOR UPDATE

-- name: oldest_new_order(w int, d int) -> (no_o_id int)
SELECT MIN(no_o_id) FROM new_order WHERE no_w_id = :w AND no_d_id = :d FOR UPDATE
