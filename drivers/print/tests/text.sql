-- session 0
BEGIN;
UPDATE conformance SET n = -4 WHERE id >= 3;
INSERT INTO conformance (id, n, d, s, t) VALUES (1, NULL, 12.34, 'it''s', TIMESTAMP '1970-01-01 00:00:00.000001');
COMMIT;

-- session 0
SELECT n, d, s, t FROM conformance WHERE id = 1;

-- session 0
INSERT INTO conformance (id, n, d, s, t) VALUES
(1, NULL, -2.50, 'it''s', TIMESTAMP '1970-01-02 00:00:00'),
(2, NULL, -2.50, 'it''s', TIMESTAMP '1970-01-02 00:00:00');

-- session 0
DROP TABLE a;
DROP TABLE b;

