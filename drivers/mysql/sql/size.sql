-- Bytes of the session's database, as far as the server's statistics know.
SELECT coalesce(sum(data_length + index_length), 0)
FROM information_schema.tables
WHERE table_schema = DATABASE()
