CREATE TABLE items (id int PRIMARY KEY, owner int, price numeric(10,2), note text, tags int[]);
INSERT INTO items SELECT g, g % 10, g * 1.5, 'note ' || g, ARRAY[g, g + 1, g + 2] FROM generate_series(1, 1000) g;
CREATE TABLE queue (id bigserial PRIMARY KEY, state text DEFAULT 'new', payload text);
INSERT INTO queue (payload) SELECT 'p' || g FROM generate_series(1, 500) g;
CREATE TABLE counters (name text PRIMARY KEY, n bigint);
CREATE TABLE events (at timestamptz DEFAULT now(), client int, kind text, value double precision);
CREATE TABLE part_1 (id int, v int);
CREATE TABLE part_2 (id int, v int);
