-- An insert with values of each type.
\set v 10 / 4.0
\set flag 3 > 2
\set nothing NULL
INSERT INTO events (client, kind, value) VALUES (:client_id, 'x:v', :v);
SELECT :flag, :nothing, 1::int;
