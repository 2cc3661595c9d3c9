SHOW SESSION STATUS
WHERE
    Variable_name IN (
        'Created_tmp_disk_tables', 'Created_tmp_files', 'Handler_read_first', 'Handler_read_key', 'Handler_read_last',
        'Handler_read_next', 'Handler_read_prev', 'Handler_read_rnd', 'Handler_read_rnd_next',
        'Innodb_buffer_pool_read_requests', 'Innodb_buffer_pool_reads', 'Innodb_page_size', 'Innodb_pages_read'
    )
