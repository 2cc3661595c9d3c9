-- Tables of the session's database, each with its columns, its routines, and its views and sequences. The moment of
-- creation tells one of them from another one of the same name. Where the server distinguishes upper and lower case,
-- names are as they are stored. The information schema itself ignores case when it compares them.
SELECT
    'table', IF(@@lower_case_table_names = 0, t.table_name, LOWER(t.table_name)), COALESCE(UNIX_TIMESTAMP(t.create_time), ''),
    (
        SELECT GROUP_CONCAT(
            LOWER(c.column_name), ' ', c.data_type ORDER BY c.ordinal_position SEPARATOR '\n'
        )
        FROM information_schema.columns c
        WHERE c.table_schema = t.table_schema
            AND c.table_name = t.table_name
            AND CAST(c.table_name AS BINARY) = CAST(t.table_name AS BINARY)
    ),
    CONCAT('DROP TABLE `', REPLACE(t.table_name, '`', '``'), '`')
FROM information_schema.tables t
WHERE t.table_schema = DATABASE() AND t.table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')
UNION ALL
SELECT
    'routine', LOWER(r.routine_name),
    CONCAT(LOWER(r.routine_name), ' ', UNIX_TIMESTAMP(r.created)), r.routine_definition,
    CONCAT('DROP ', r.routine_type, ' `', REPLACE(r.routine_name, '`', '``'), '`')
FROM information_schema.routines r
WHERE r.routine_schema = DATABASE()
UNION ALL
SELECT
    'other', IF(@@lower_case_table_names = 0, o.table_name, LOWER(o.table_name)), '',
    LOWER(o.table_type), NULL
FROM information_schema.tables o
WHERE o.table_schema = DATABASE() AND o.table_type NOT IN ('BASE TABLE', 'SYSTEM VERSIONED')
ORDER BY 1, 2
