-- Room that the tables of the session's database take, and their rows, by the server's statistics.
SELECT table_name, table_rows, data_length, index_length
FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'
ORDER BY 1
