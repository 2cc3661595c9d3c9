-- Statements of the driver suite, in the SQL that all databases share.

-- name: insert(id int, n int, d decimal(2), s text, t time)
INSERT INTO conformance (id, n, d, s, t) VALUES (:id, :n, :d, :s, :t)

-- name: read(id int) -> (n int, d decimal(2), s text, t time)
SELECT n, d, s, t FROM conformance WHERE id = :id

-- name: ids() -> (id int)
SELECT id FROM conformance ORDER BY id

-- name: change(id int, n int)
UPDATE conformance SET n = :n WHERE id >= :id

-- name: either(x int) -> (id int)
SELECT id FROM conformance WHERE id = :x OR n = :x ORDER BY id

-- name: totals() -> (n int, d decimal(2))
SELECT count(*), sum(d) FROM conformance

-- name: pair(b int, a int, label text)
INSERT INTO conformance_pair (a, b, label) VALUES (:a, :b, :label)

-- name: pairs() -> (n int, a int)
SELECT count(*), sum(a) FROM conformance_pair

-- name: day(id int, day time)
INSERT INTO conformance_day (id, day) VALUES (:id, :day)

-- name: days_between(low time, high time) -> (day time)
SELECT day FROM conformance_day WHERE day >= :low AND day < :high ORDER BY day
