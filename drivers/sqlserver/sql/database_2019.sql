-- The same that older servers do not have.
SELECT is_accelerated_database_recovery_on FROM sys.databases WHERE name = DB_NAME()
