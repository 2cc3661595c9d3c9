-- name: check_balances() -> (customer int)
SELECT c_id FROM customer
LEFT JOIN (SELECT o_customer, SUM(o_total) AS spent FROM orders GROUP BY o_customer) o ON o_customer = c_id
WHERE c_balance <> COALESCE(spent, 0)

-- name: check_references() -> (number int)
SELECT o_id FROM orders
LEFT JOIN customer ON c_id = o_customer
LEFT JOIN product ON p_id = o_product
WHERE c_id IS NULL OR p_id IS NULL
