\set w random(1, 10)
\set d random(1, 10)
\set c ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\set lines random(5, 15)
SELECT neword(:w, 10, :d, :c, :lines, 0);
