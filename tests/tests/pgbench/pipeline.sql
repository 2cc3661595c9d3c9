\set id 7 * 6
\startpipeline
SELECT 1;
UPDATE items SET price = :id WHERE id = 3;
INSERT INTO events (client, value) VALUES (:client_id, :id);
UPDATE items SET price = :id + 1 WHERE id = 3;
\endpipeline
SELECT price FROM items WHERE id = 3;
