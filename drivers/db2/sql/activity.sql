-- Counters of the database, in the order of the names in collect.rs.
SELECT SUM(total_app_commits), SUM(total_app_rollbacks), SUM(act_completed_total), SUM(rows_read), SUM(rows_modified),
    SUM(deadlocks), SUM(lock_waits), SUM(lock_timeouts), SUM(lock_escals),
    SUM(pool_data_l_reads + pool_index_l_reads), SUM(pool_data_p_reads + pool_index_p_reads),
    SUM(pool_data_writes + pool_index_writes), SUM(log_disk_waits_total), SUM(sort_overflows), SUM(pkg_cache_inserts)
FROM TABLE(MON_GET_DATABASE(-2)) AS totals
