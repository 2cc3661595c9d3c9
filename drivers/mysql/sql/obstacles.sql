-- What else needs the tables of these names. A view's text names each table with its database.
SELECT CONCAT('view ', v.table_schema, '.', v.table_name, ' needs table ', t.table_name)
FROM information_schema.views v
JOIN information_schema.tables t ON t.table_schema = DATABASE() AND t.table_name IN (TABLES)
WHERE LOCATE(CONCAT('`', t.table_schema, '`.`', t.table_name, '`'), v.view_definition) > 0
UNION
SELECT CONCAT(
    'foreign key ', k.constraint_name, ' of table ', k.table_schema, '.', k.table_name,
    ' refers to table ', k.referenced_table_name
)
FROM information_schema.key_column_usage k
WHERE k.referenced_table_schema = DATABASE()
    AND k.referenced_table_name IN (TABLES)
    AND NOT (k.table_schema = DATABASE() AND k.table_name IN (TABLES))
ORDER BY 1
