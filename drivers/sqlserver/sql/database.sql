-- Settings of the database that decide about a measurement.
SELECT compatibility_level, collation_name, recovery_model_desc, is_read_committed_snapshot_on,
    snapshot_isolation_state_desc, delayed_durability_desc, page_verify_option_desc,
    is_auto_create_stats_on, is_auto_update_stats_on, is_query_store_on
FROM sys.databases
WHERE name = DB_NAME()
