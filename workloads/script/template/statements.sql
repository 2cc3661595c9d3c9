-- A statement follows its header: name, parameters, and the columns of its result.
-- Types: int, text, time, and decimal(2) with the digits after the point.
-- statements.sqlite.sql replaces one of them for SQLite; so could statements.postgres.sql for PostgreSQL.

-- name: price_of(product int) -> (p_price decimal(2))
SELECT p_price FROM product WHERE p_id = :product

-- name: take(product int, quantity int)
UPDATE product SET p_stock = p_stock - :quantity WHERE p_id = :product

-- name: add_order(number int, customer int, product int, quantity int, total decimal(2))
INSERT INTO orders (o_id, o_customer, o_product, o_quantity, o_total, o_date)
VALUES (:number, :customer, :product, :quantity, :total, CURRENT_TIMESTAMP)

-- name: charge(customer int, total decimal(2))
UPDATE customer SET c_balance = c_balance + :total WHERE c_id = :customer

-- name: recent_orders(customer int) -> (o_id int, o_product int)
SELECT o_id, o_product FROM orders
WHERE o_customer = :customer
ORDER BY o_id DESC
LIMIT 5

-- name: last_order() -> (o_id int)
SELECT MAX(o_id) FROM orders

-- name: count_orders() -> (orders int)
SELECT COUNT(*) FROM orders
