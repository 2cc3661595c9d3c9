-- Microseconds since 1970.
SELECT CAST(unix_timestamp(sysdate(6)) * 1000000 AS unsigned)
