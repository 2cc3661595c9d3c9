-- The processors and the memory of the server, in KiB.
SELECT cpu_count, physical_memory_kb FROM sys.dm_os_sys_info
