\set k 5 % 3
\set big 9223372036854775807 - :k
INSERT INTO counters AS c (name, n) VALUES ('counter_:k', :k) ON CONFLICT (name) DO UPDATE SET n = c.n + EXCLUDED.n;
SELECT :big::bigint;
