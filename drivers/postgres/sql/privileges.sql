-- What a build needs: who we are, where tables go, whether we may make some there, whether we may
-- write at all, and whether the language of our functions is ours to use.
SELECT
    current_user,
    coalesce(pg_catalog.current_schema(), ''),
    coalesce(pg_catalog.has_schema_privilege(pg_catalog.current_schema(), 'CREATE'), false)::int,
    (pg_catalog.pg_is_in_recovery()
        OR pg_catalog.current_setting('transaction_read_only') = 'on')::int,
    coalesce((
        SELECT pg_catalog.has_language_privilege(l.oid, 'USAGE')
        FROM pg_catalog.pg_language l
        WHERE l.lanname = 'plpgsql'
    ), false)::int
