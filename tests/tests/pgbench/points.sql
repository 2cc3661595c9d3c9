\set id 1 + hash_fnv1a(17, 5) % 1000 * CASE WHEN hash_fnv1a(17, 5) % 1000 < 0 THEN -1 ELSE 1 END
SELECT price, note FROM items WHERE id = :id;
SELECT count(*) FROM items WHERE id BETWEEN :id AND :id + 10;
