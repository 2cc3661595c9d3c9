\set part 1 + :client_id % 2
INSERT INTO part_:part (id, v) VALUES (:client_id, :part);
SELECT v FROM part_:part WHERE id = :client_id LIMIT 1;
