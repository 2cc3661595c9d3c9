-- Several statements in one request, of which the last one gives variables.
\set id 5 * 8
SELECT 'begin';
BEGIN \; UPDATE items SET price = :id WHERE id = 3 \; SELECT ';\;' AS text, 1 AS n;
INSERT INTO events (client, value) VALUES (:client_id, :id) \; SELECT owner, note FROM items WHERE id = 14 \gset own_
UPDATE items SET note = 'of :own_owner, :own_note' WHERE id = :own_owner;
END;
