-- What the login may do where it is: 1 for yes. Owners may do everything, which Babelfish knows of roles only.
SELECT SCHEMA_NAME(),
    CASE WHEN IS_MEMBER('db_owner') = 1 OR IS_SRVROLEMEMBER('sysadmin') = 1 THEN 1
        ELSE HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'CREATE TABLE') END,
    CASE WHEN IS_MEMBER('db_owner') = 1 OR IS_SRVROLEMEMBER('sysadmin') = 1 THEN 1
        ELSE HAS_PERMS_BY_NAME(SCHEMA_NAME(), 'SCHEMA', 'ALTER') END
