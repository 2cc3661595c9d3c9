-- Without the cast the branches would make :d a text.

-- name: stock_read_one(w int, i int, d int) -> (s_quantity int, s_data text, dist_info text)
SELECT s_quantity, s_data,
    CASE CAST(:d AS int)
        WHEN 1 THEN s_dist_01
        WHEN 2 THEN s_dist_02
        WHEN 3 THEN s_dist_03
        WHEN 4 THEN s_dist_04
        WHEN 5 THEN s_dist_05
        WHEN 6 THEN s_dist_06
        WHEN 7 THEN s_dist_07
        WHEN 8 THEN s_dist_08
        WHEN 9 THEN s_dist_09
        ELSE s_dist_10
    END
FROM stock
WHERE s_i_id = :i AND s_w_id = :w

-- name: stock_lock_one(w int, i int, d int) -> (s_quantity int, s_data text, dist_info text)
SELECT s_quantity, s_data,
    CASE CAST(:d AS int)
        WHEN 1 THEN s_dist_01
        WHEN 2 THEN s_dist_02
        WHEN 3 THEN s_dist_03
        WHEN 4 THEN s_dist_04
        WHEN 5 THEN s_dist_05
        WHEN 6 THEN s_dist_06
        WHEN 7 THEN s_dist_07
        WHEN 8 THEN s_dist_08
        WHEN 9 THEN s_dist_09
        ELSE s_dist_10
    END
FROM stock
WHERE s_i_id = :i AND s_w_id = :w
FOR UPDATE

-- Tables of another tool have binary fractions here.
-- name: lines_sum_quantities(w int, d int, o int) -> (total decimal(2))
SELECT CAST(SUM(ol_amount * ol_quantity) AS numeric(24, 2))
FROM order_line
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o
