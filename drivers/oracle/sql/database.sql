-- Settings of the database.
SELECT log_mode, force_logging, flashback_on, protection_mode, database_role, platform_name FROM v$database
