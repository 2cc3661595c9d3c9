-- The moment of the server's start, and what it notes of changes of its settings: when it last loaded its configuration,
-- and the versions of the rows that hold settings of this role, of this database and of all. A session that was
-- open at that moment loaded the configuration itself, a little later.
SELECT
    pg_catalog.pg_postmaster_start_time()::pg_catalog.text,
    pg_catalog.pg_conf_load_time()::pg_catalog.text,
    (
        SELECT pg_catalog.string_agg(
            pg_catalog.concat_ws(' ', s.setdatabase, s.setrole, s.xmin, s.ctid), ','
            ORDER BY s.setdatabase, s.setrole
        )
        FROM pg_catalog.pg_db_role_setting s
        JOIN pg_catalog.pg_database d ON d.datname = pg_catalog.current_database()
        WHERE s.setdatabase IN (0, d.oid)
            AND (s.setrole = 0 OR pg_catalog.pg_get_userbyid(s.setrole) = session_user)
    )
