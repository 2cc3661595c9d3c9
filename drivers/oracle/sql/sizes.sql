-- The sizes of the user's tables, partitions included; how many rows is what the statistics say.
SELECT t.table_name, t.num_rows,
    (
        SELECT SUM(s.bytes) FROM user_segments s
        WHERE s.segment_name = t.table_name AND s.segment_type LIKE 'TABLE%'
    ),
    (
        SELECT SUM(s.bytes) FROM user_segments s JOIN user_indexes i ON i.index_name = s.segment_name
        WHERE i.table_name = t.table_name AND s.segment_type LIKE 'INDEX%'
    )
FROM user_tables t
WHERE t.dropped = 'NO' AND t.nested = 'NO'
ORDER BY t.table_name
