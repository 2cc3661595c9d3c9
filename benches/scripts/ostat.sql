\set w random(1, 10)
\set d random(1, 10)
\set c ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\set by_name case when random(1, 100) <= 60 then 1 else 0 end
SELECT * FROM ostat(:w, :d, :c, :by_name, '$5');
