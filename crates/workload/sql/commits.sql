-- The marks of the transactions of a run: one row for each session, with the count of its marks and the number of the
-- latest one, and one row with the session -1 that holds the key of the run. Standard SQL, one text for all dialects.

-- name: mark(latest int, session int)
UPDATE tacho_commits SET commits = commits + 1, latest = :latest WHERE session_id = :session

-- name: mark_settle(session int)
UPDATE tacho_commits SET commits = commits + 0 WHERE session_id = :session

-- name: mark_read(session int) -> (commits int, latest int, run int)
SELECT own.commits, own.latest, run.commits FROM tacho_commits own, tacho_commits run
WHERE own.session_id = :session AND run.session_id = -1

-- name: marks_settle()
UPDATE tacho_commits SET commits = commits + 0

-- name: marks_read() -> (session int, commits int, latest int)
SELECT session_id, commits, latest FROM tacho_commits

-- name: marks_read_unnumbered() -> (session int, commits int)
SELECT session_id, commits FROM tacho_commits
