-- Views, and what each needs. Not on Babelfish: an error for a view of the system that it lacks may end the transaction.
IF SERVERPROPERTY('Babelfish') IS NULL EXEC('
    SELECT o.name, d.referenced_entity_name
    FROM sys.sql_expression_dependencies d JOIN sys.objects o ON o.object_id = d.referencing_id
    WHERE o.type = ''V''
')
