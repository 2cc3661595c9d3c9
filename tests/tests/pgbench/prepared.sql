\set id 40 + 2
\set half :id / 4.0
SELECT owner AS who FROM items WHERE id = :id \gset
UPDATE items SET price = :half WHERE id = :id AND owner = :who;
INSERT INTO events (client, value) VALUES (:client_id, :half);
