-- The system that the server runs on.
SELECT host_platform, host_distribution, host_release FROM sys.dm_os_host_info
