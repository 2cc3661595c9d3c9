-- What the server has counted since it started.
SHOW GLOBAL STATUS
WHERE Variable_name IN (
    'Com_commit',
    'Com_rollback',
    'Created_tmp_disk_tables',
    'Innodb_buffer_pool_pages_flushed',
    'Innodb_buffer_pool_read_requests',
    'Innodb_buffer_pool_reads',
    'Innodb_data_fsyncs',
    'Innodb_deadlocks',
    'Innodb_log_waits',
    'Innodb_os_log_written',
    'Innodb_row_lock_time',
    'Innodb_row_lock_waits'
)
