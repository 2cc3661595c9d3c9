-- Pages of the buffer pool that are not written yet.
SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'buffer_pool_pages_dirty'
