-- The columns of * are found by their names, also where a variable stands within quotes.
SELECT * FROM items WHERE id = 14 \gset own_
SELECT q.* FROM queue q WHERE id = :own_owner \aset
UPDATE items SET note = 'of :own_note, :payload', price = :own_price + :id WHERE id = :own_owner;
