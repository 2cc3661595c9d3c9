-- What the server has counted since it started, and its state. A server leaves out what it does not
-- have.
SHOW GLOBAL STATUS
WHERE Variable_name IN (
    'Com_commit',
    'Com_rollback',
    'Com_select',
    'Created_tmp_disk_tables',
    'Innodb_buffer_pool_bytes_dirty',
    'Innodb_buffer_pool_pages_flushed',
    'Innodb_buffer_pool_read_requests',
    'Innodb_buffer_pool_reads',
    'Innodb_checkpoint_age',
    'Innodb_data_fsyncs',
    'Innodb_deadlocks',
    'Innodb_history_list_length',
    'Innodb_log_waits',
    'Innodb_os_log_written',
    'Innodb_redo_log_checkpoint_lsn',
    'Innodb_redo_log_current_lsn',
    'Innodb_row_lock_time',
    'Innodb_row_lock_waits'
)
