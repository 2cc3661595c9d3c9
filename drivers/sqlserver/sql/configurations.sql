-- Settings of the server that decide about a measurement.
SELECT name, CAST(value_in_use AS BIGINT)
FROM sys.configurations
WHERE name IN (
    'affinity mask', 'cost threshold for parallelism', 'lightweight pooling', 'max degree of parallelism',
    'max server memory (MB)', 'max worker threads', 'min server memory (MB)', 'network packet size (B)',
    'optimize for ad hoc workloads', 'priority boost', 'recovery interval (min)', 'user connections'
)
