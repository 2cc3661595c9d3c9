-- Every setting that was changed, with units, and those that decide over durability, defaults included.
-- Values that the server computed by itself (override) say nothing new; what we set ourselves and
-- what may hold a password is left out. Last the value without anybody's doing, in its unit.
-- Tables without a log stand among them: a crash empties them. So does the collation of the database,
-- by which texts are compared and sorted: C costs a fraction of a language's.
-- The source tells what a session has set: behind a pooler, this may be any other client's session.
SELECT name, pg_catalog.current_setting(name), boot_val, unit, source
FROM pg_catalog.pg_settings
WHERE (
        source NOT IN ('default', 'override')
        OR name IN (
            'fsync',
            'synchronous_commit',
            'full_page_writes',
            'wal_level',
            'shared_buffers',
            'data_checksums',
            'max_wal_size',
            'wal_segment_size',
            'default_transaction_isolation'
        )
    )
    AND name NOT IN ('application_name', 'client_encoding', 'primary_conninfo')
    -- They say where a server is and what it is called, so they differ after a failover.
    AND name NOT IN (
        'cluster_name',
        'config_file',
        'data_directory',
        'external_pid_file',
        'hba_file',
        'ident_file',
        'primary_slot_name',
        'unix_socket_directories'
    )
    AND NOT (name = 'DateStyle' AND source IN ('session', 'client'))
    AND pg_catalog.current_setting(name) <> ''
UNION ALL
SELECT 'database collation', datcollate, NULL, NULL, NULL
FROM pg_catalog.pg_database
WHERE datname = pg_catalog.current_database()
UNION ALL
SELECT 'database encoding', pg_catalog.pg_encoding_to_char(encoding), NULL, NULL, NULL
FROM pg_catalog.pg_database
WHERE datname = pg_catalog.current_database()
UNION ALL
SELECT 'unlogged tables', count(*)::text, NULL, NULL, NULL
FROM pg_catalog.pg_class
WHERE relkind = 'r'
    AND relpersistence = 'u'
    AND relnamespace IN (
        SELECT oid
        FROM pg_catalog.pg_namespace
        WHERE nspname = ANY (pg_catalog.current_schemas(false))
    )
HAVING count(*) > 0
ORDER BY 1
