-- Tables of the session's database, in lower case where the server does not distinguish upper and lower case.
SELECT IF(@@lower_case_table_names = 0, table_name, LOWER(table_name))
FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')
ORDER BY table_name
