-- Views, and what each needs.
SELECT o.name, d.referenced_entity_name
FROM sys.sql_expression_dependencies d JOIN sys.objects o ON o.object_id = d.referencing_id
WHERE o.type = 'V'
