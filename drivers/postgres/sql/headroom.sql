-- What limits the sessions of this user on this database: a name, the limit, and how many are in
-- use. A superuser may take the reserved ones and is bound by the server's limit alone. Servers that
-- let a role reserve connections have reserved_connections (since 16). Where a session of others is
-- hidden from us its user is still shown, and only clients have one.
WITH
me AS (
    SELECT r.rolname, r.rolsuper, r.rolconnlimit, d.datname, d.datconnlimit
    FROM pg_catalog.pg_roles r, pg_catalog.pg_database d
    WHERE r.rolname = current_user AND d.datname = pg_catalog.current_database()
),
client AS (
    SELECT usename, datname
    FROM pg_catalog.pg_stat_activity
    WHERE usesysid IS NOT NULL
        AND datid IS NOT NULL
        AND coalesce(backend_type, 'client backend') = 'client backend'
)
SELECT
    'max_connections',
    pg_catalog.current_setting('max_connections')::bigint
    - CASE
        WHEN rolsuper THEN 0
        ELSE pg_catalog.current_setting('superuser_reserved_connections')::bigint
            + coalesce(pg_catalog.current_setting('reserved_connections', true)::bigint, 0)
    END,
    (SELECT count(*) FROM client)
FROM me
UNION ALL
SELECT
    'CONNECTION LIMIT of role ' || rolname,
    rolconnlimit,
    (SELECT count(*) FROM client c WHERE c.usename = me.rolname)
FROM me
WHERE rolconnlimit >= 0 AND NOT rolsuper
UNION ALL
SELECT
    'CONNECTION LIMIT of database ' || datname,
    datconnlimit,
    (SELECT count(*) FROM client c WHERE c.datname = me.datname)
FROM me
WHERE datconnlimit >= 0 AND NOT rolsuper
