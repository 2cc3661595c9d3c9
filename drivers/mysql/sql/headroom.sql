-- The limits of the server and of this user, and how many sessions the user has. A limit of 0
-- connections of a user is none.
SELECT
    @@global.max_connections,
    @@session.max_user_connections,
    @@global.max_prepared_stmt_count,
    count(*)
FROM information_schema.processlist
WHERE user = substring_index(current_user(), '@', 1)
