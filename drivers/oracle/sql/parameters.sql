-- Settings of the instance that decide about a measurement.
SELECT name, value
FROM v$parameter
WHERE value IS NOT NULL AND name IN (
    'commit_logging', 'commit_wait', 'commit_write', 'compatible', 'control_management_pack_access',
    'cpu_count', 'cursor_sharing', 'db_block_checking', 'db_block_checksum', 'db_block_size',
    'db_cache_size', 'disk_asynch_io', 'fast_start_mttr_target', 'filesystemio_options',
    'inmemory_size', 'log_buffer', 'memory_target', 'open_cursors', 'optimizer_mode',
    'parallel_degree_policy', 'parallel_max_servers', 'pga_aggregate_target', 'processes',
    'resource_manager_plan', 'result_cache_max_size', 'session_cached_cursors', 'sga_target',
    'shared_pool_size', 'statistics_level', 'undo_retention', 'use_large_pages'
)
ORDER BY name
