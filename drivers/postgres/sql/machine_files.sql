-- What the kernel of the server's machine says; NULL where there is no such file.
SELECT
    pg_catalog.pg_read_file('/proc/cpuinfo', 0, 4000000, true),
    pg_catalog.pg_read_file('/proc/meminfo', 0, 4000000, true),
    pg_catalog.pg_read_file('/proc/sys/kernel/hostname', 0, 1000, true)
