-- What the server knows of tables, for comparison with what was to be made.

-- name: described() -> (line text)
SELECT line
FROM (
    SELECT 1 AS part, TABLE_NAME AS name, ORDINAL_POSITION AS place,
        CONCAT(TABLE_NAME, '.', COLUMN_NAME, ' ', DATA_TYPE,
            CASE DATA_TYPE
                WHEN 'decimal' THEN CONCAT('(', NUMERIC_PRECISION, ',', NUMERIC_SCALE, ')')
                ELSE COALESCE(CONCAT('(', CHARACTER_MAXIMUM_LENGTH, ') ', COLLATION_NAME), '')
            END,
            CASE IS_NULLABLE WHEN 'NO' THEN ' not null' ELSE '' END) AS line
    FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME NOT LIKE 'tacho%'
        AND NOT (DATA_TYPE = 'datetime' AND DATETIME_PRECISION > 0)
    UNION ALL
    SELECT 2, TABLE_NAME, CASE INDEX_NAME WHEN 'PRIMARY' THEN 0 ELSE 1 END,
        CONCAT(TABLE_NAME, ' ', INDEX_NAME, CASE NON_UNIQUE WHEN 0 THEN ' unique (' ELSE ' plain (' END,
            GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX SEPARATOR ', '), ')')
    FROM information_schema.STATISTICS
    WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME NOT LIKE 'tacho%'
    GROUP BY TABLE_NAME, INDEX_NAME, NON_UNIQUE
    UNION ALL
    SELECT 3, TABLE_NAME, 0, CONCAT(TABLE_NAME, ' ', ENGINE, ' ', TABLE_COLLATION)
    FROM information_schema.TABLES
    WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME NOT LIKE 'tacho%'
) all_lines
ORDER BY part, BINARY name, place

-- name: kept() -> (line text)
SELECT
    CONCAT(t.TABLE_NAME, ' ', ENGINE, ' ',
        (
            SELECT COUNT(PARTITION_NAME)
            FROM information_schema.PARTITIONS p
            WHERE p.TABLE_SCHEMA = t.TABLE_SCHEMA AND p.TABLE_NAME = t.TABLE_NAME
        ),
        COALESCE(
            (
                SELECT CONCAT(' ', COLUMN_NAME, ' ', LOWER(EXTRA))
                FROM information_schema.COLUMNS c
                WHERE c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME
                    AND COLUMN_KEY = 'PRI' AND EXTRA <> ''
            ),
            ''))
FROM information_schema.TABLES t
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME NOT LIKE 'tacho%'
ORDER BY BINARY t.TABLE_NAME
