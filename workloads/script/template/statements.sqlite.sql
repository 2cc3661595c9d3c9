-- What SQLite must write in its own way: it keeps times as whole microseconds since 1970.

-- name: add_order(number int, customer int, product int, quantity int, total decimal(2))
INSERT INTO orders (o_id, o_customer, o_product, o_quantity, o_total, o_date)
VALUES (:number, :customer, :product, :quantity, :total, unixepoch() * 1000000)
