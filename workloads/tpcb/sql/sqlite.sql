-- What SQLite must write in its own way.

-- A time is stored as whole microseconds since 1970; the clock of SQLite counts milliseconds.
-- name: history_insert(tid int, bid int, aid int, delta int)
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime)
VALUES (:tid, :bid, :aid, :delta, CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) * 1000)
