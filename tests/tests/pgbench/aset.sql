SELECT id AS last FROM items WHERE id IN (3, 4) ORDER BY id \aset
SELECT id AS none FROM items WHERE id = -1 \aset
UPDATE items SET note = 'seen' WHERE id = :last;
