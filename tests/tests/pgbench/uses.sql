-- Each use of a variable is a parameter with a type.
\set a 7
INSERT INTO named VALUES ('n' || :a, :a);
SELECT :a::text AS t, length(:a) AS l, :a + 1 AS s \gset
UPDATE named SET n = :s, name = :t WHERE n = :a AND name <> 'it''s';
