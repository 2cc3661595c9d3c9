-- Variables keep their values from one transaction to the next: a number of -D that counts, a text, and what
-- only every third transaction sets.
\set size :size + 1
\if :size % 3 = 0
SELECT owner AS seen, id AS place FROM items WHERE id = 1 + :size % 5 \gset
\endif
SELECT id AS found FROM items WHERE id = :size - 22 AND id IN (2, 4) \aset
\if :size > 24
UPDATE items SET note = :seen WHERE id = :place;
INSERT INTO events (client, value) VALUES (:client_id, :found);
\endif
SELECT :size;
