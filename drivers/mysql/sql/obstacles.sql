-- What else needs the tables of these names, which are compared as the server does. A view's text names each table with
-- its database.
SELECT CONCAT('view ', v.table_schema, '.', v.table_name, ' needs table ', t.table_name)
FROM information_schema.views v
JOIN information_schema.tables t ON t.table_schema = DATABASE() AND CAST(IF(@@lower_case_table_names = 0, t.table_name, LOWER(t.table_name)) AS BINARY) IN (TABLES)
WHERE LOCATE(CONCAT('`', t.table_schema, '`.`', t.table_name, '`'), v.view_definition) > 0
    AND (
        @@lower_case_table_names <> 0
        OR LOCATE(CAST(CONCAT('`', t.table_schema, '`.`', t.table_name, '`') AS BINARY), v.view_definition) > 0
    )
UNION
SELECT CONCAT(
    'foreign key ', k.constraint_name, ' of table ', k.table_schema, '.', k.table_name,
    ' refers to table ', k.referenced_table_name
)
FROM information_schema.key_column_usage k
WHERE k.referenced_table_schema = DATABASE()
    AND CAST(IF(@@lower_case_table_names = 0, k.referenced_table_name, LOWER(k.referenced_table_name)) AS BINARY) IN (TABLES)
    AND NOT (k.table_schema = DATABASE() AND CAST(IF(@@lower_case_table_names = 0, k.table_name, LOWER(k.table_name)) AS BINARY) IN (TABLES))
ORDER BY 1
