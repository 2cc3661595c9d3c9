-- What the login may do where it is: 1 for yes.
SELECT SCHEMA_NAME(),
    HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'CREATE TABLE'),
    HAS_PERMS_BY_NAME(SCHEMA_NAME(), 'SCHEMA', 'ALTER')
