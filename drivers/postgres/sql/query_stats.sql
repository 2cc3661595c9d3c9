-- What was done in this database since some fixed point: bytes and number of temporary files, bytes of
-- blocks that were read, and of those that were found in the cache. Nothing where nothing is counted.
SELECT
    pg_catalog.pg_stat_get_db_temp_bytes(oid),
    pg_catalog.pg_stat_get_db_temp_files(oid),
    (pg_catalog.pg_stat_get_db_blocks_fetched(oid) - pg_catalog.pg_stat_get_db_blocks_hit(oid))
    * pg_catalog.current_setting('block_size')::bigint,
    pg_catalog.pg_stat_get_db_blocks_hit(oid)
    * pg_catalog.current_setting('block_size')::bigint
FROM pg_catalog.pg_database
WHERE
    datname = pg_catalog.current_database()
    AND pg_catalog.current_setting('track_counts')::boolean
