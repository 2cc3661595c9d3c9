-- What the server says of its machine: how it was built, and where its data lies, which not everybody
-- may see. Last whether we may read files there, without which asking for one would be an error.
SELECT
    pg_catalog.version(),
    (
        SELECT setting
        FROM pg_catalog.pg_settings
        WHERE name = 'data_directory'
    ),
    pg_catalog.has_function_privilege(
        'pg_catalog.pg_read_file(text, bigint, bigint, boolean)',
        'EXECUTE'
    )
    AND pg_catalog.pg_has_role('pg_read_server_files', 'MEMBER')
