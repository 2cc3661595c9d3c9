-- The settings that decide over speed and durability, defaults included, as they hold for our sessions. A
-- server leaves out what it does not have.
SHOW SESSION VARIABLES
WHERE Variable_name IN (
    'binlog_format',
    'binlog_row_image',
    'character_set_database',
    'collation_database',
    'default_storage_engine',
    'innodb_adaptive_hash_index',
    'innodb_buffer_pool_size',
    'innodb_doublewrite',
    'innodb_flush_log_at_trx_commit',
    'innodb_flush_method',
    'innodb_io_capacity',
    'innodb_io_capacity_max',
    'innodb_lock_wait_timeout',
    'innodb_log_file_size',
    'innodb_page_size',
    'innodb_redo_log_capacity',
    'innodb_snapshot_isolation',
    'innodb_deadlock_detect',
    'local_infile',
    'log_bin',
    'max_allowed_packet',
    'max_connections',
    'performance_schema',
    'query_cache_type',
    'sql_mode',
    'sync_binlog',
    'thread_handling',
    'transaction_isolation',
    'tx_isolation'
)
