\set w random(1, 10)
\set d random(1, 10)
\set threshold random(10, 20)
SELECT slev(:w, :d, :threshold);
