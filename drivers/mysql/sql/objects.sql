-- Tables of the session's database, each with its columns, and its routines. The moment of creation tells
-- one of them from another one of the same name.
SELECT
    'table', LOWER(t.table_name), COALESCE(UNIX_TIMESTAMP(t.create_time), ''),
    (
        SELECT GROUP_CONCAT(
            LOWER(c.column_name), ' ', c.data_type ORDER BY c.ordinal_position SEPARATOR '\n'
        )
        FROM information_schema.columns c
        WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name
    ),
    CONCAT('DROP TABLE `', REPLACE(t.table_name, '`', '``'), '`')
FROM information_schema.tables t
WHERE t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE'
UNION ALL
SELECT
    'routine', LOWER(r.routine_name),
    CONCAT(LOWER(r.routine_name), ' ', UNIX_TIMESTAMP(r.created)), r.routine_definition,
    CONCAT('DROP ', r.routine_type, ' `', REPLACE(r.routine_name, '`', '``'), '`')
FROM information_schema.routines r
WHERE r.routine_schema = DATABASE()
ORDER BY 1, 2
