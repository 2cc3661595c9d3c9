-- The marks of the transactions of a run: one row for each session, and one with the number -1 that holds
-- the key of the run. Standard SQL, one text for all dialects.

-- name: mark(session int)
UPDATE tacho_commits SET commits = commits + 1 WHERE session_id = :session

-- name: mark_settle(session int)
UPDATE tacho_commits SET commits = commits + 0 WHERE session_id = :session

-- name: mark_read(session int) -> (commits int, run int)
SELECT own.commits, run.commits FROM tacho_commits own, tacho_commits run
WHERE own.session_id = :session AND run.session_id = -1

-- name: marks_settle()
UPDATE tacho_commits SET commits = commits + 0

-- name: marks_read() -> (session int, commits int)
SELECT session_id, commits FROM tacho_commits
