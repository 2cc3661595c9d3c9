-- What prepare made in addition to the tables.

-- name: routines() -> (found int)
SELECT COUNT(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
