\set w random(1, 10)
\set d random(1, 10)
\set c ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\set home random(1, 100)
\set c_w case when :home <= 85 then :w else random(1, 10) end
\set c_d case when :home <= 85 then :d else random(1, 10) end
\set by_name case when random(1, 100) <= 60 then 1 else 0 end
\set amount random(1, 5000)
SELECT payment(:w, :d, :c_w, :c_d, :c, :by_name, :amount, '$8', '0', 0);
