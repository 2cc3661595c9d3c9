-- Reads a balance, decides in the client, and writes.
\set a permute(3, 1000, 9) + 1
\set b permute(4, 1000, 9) + 1
BEGIN;
SELECT price AS amount, owner FROM items WHERE id = :a FOR UPDATE \gset
\if :owner > 4
UPDATE items SET price = price - 1 WHERE id = :a;
UPDATE items SET price = price + 1 WHERE id = :b;
\elif :owner = 4
SELECT 'four';
\else
UPDATE items SET note = 'kept :amount' WHERE id = :a;
\endif
COMMIT;
