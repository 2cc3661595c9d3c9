-- The user's tables, a row for each column. The number of an object is never used again.
SELECT t.table_name, o.object_id, c.column_name,
    c.data_type
        || CASE WHEN c.data_type = 'NUMBER' AND c.data_precision IS NOT NULL
            THEN '(' || c.data_precision || ',' || c.data_scale || ')' END
        || CASE WHEN c.data_type IN ('CHAR', 'VARCHAR2') THEN '(' || c.char_length || ')' END,
    t.cluster_name
FROM user_tables t
JOIN user_objects o ON o.object_name = t.table_name AND o.object_type = 'TABLE'
JOIN user_tab_columns c ON c.table_name = t.table_name
WHERE t.dropped = 'NO' AND t.nested = 'NO'
ORDER BY t.table_name, c.column_id
