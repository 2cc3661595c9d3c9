-- Bytes of the server's own cache and of this database.
SELECT
    setting::int8 * pg_catalog.current_setting('block_size')::int8,
    pg_catalog.pg_database_size(pg_catalog.current_database())
FROM pg_catalog.pg_settings
WHERE name = 'shared_buffers'
