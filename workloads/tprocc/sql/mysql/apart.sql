-- Tables of another tool have binary fractions here.

-- name: lines_sum_quantities(w int, d int, o int) -> (total decimal(2))
SELECT CAST(SUM(ol_amount * ol_quantity) AS DECIMAL(24, 2))
FROM order_line
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o
