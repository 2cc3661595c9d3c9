-- Milliseconds that the other sessions of this user have spent, in the order of the names in waits.rs.
SELECT SUM(total_cpu_time) / 1000, SUM(lock_wait_time), SUM(log_disk_wait_time), SUM(log_buffer_wait_time),
    SUM(pool_read_time + direct_read_time), SUM(pool_write_time + direct_write_time), SUM(prefetch_wait_time),
    SUM(total_extended_latch_wait_time), SUM(tcpip_send_wait_time)
FROM TABLE(MON_GET_CONNECTION(CAST(NULL AS BIGINT), -2)) AS sessions
WHERE session_auth_id = SESSION_USER AND application_handle <> MON_GET_APPLICATION_HANDLE()
