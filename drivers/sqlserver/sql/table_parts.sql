-- Columns, indexes, constraints and triggers of the tables of the session's schema, with their definitions and numbers.
SELECT
    t.name, 'column', c.name,
    CONCAT(
        TYPE_NAME(c.user_type_id), ' ', c.max_length, ' ', c.[precision], ' ', c.[scale], ' ', c.is_nullable, ' ',
        c.is_identity, ' ', c.is_computed, ' ', c.collation_name
    ),
    CONVERT(varchar(20), c.column_id)
FROM sys.tables t
JOIN sys.columns c ON c.[object_id] = t.[object_id]
WHERE SCHEMA_NAME(t.schema_id) = SCHEMA_NAME()
UNION ALL
SELECT
    t.name, 'index', COALESCE(i.name, 'heap'),
    CONCAT(
        i.type_desc, ' ', i.is_unique, ' ', i.is_disabled, ' ', i.filter_definition, ' ',
        (
            SELECT CONCAT(
                COL_NAME(x.[object_id], x.column_id), ' ', x.is_descending_key, ' ', x.is_included_column, ','
            )
            FROM sys.index_columns x
            WHERE x.[object_id] = i.[object_id] AND x.index_id = i.index_id
            ORDER BY x.is_included_column, x.key_ordinal, x.index_column_id
            FOR XML PATH('')
        )
    ),
    CONVERT(varchar(20), i.index_id)
FROM sys.tables t
JOIN sys.indexes i ON i.[object_id] = t.[object_id]
WHERE SCHEMA_NAME(t.schema_id) = SCHEMA_NAME()
UNION ALL
SELECT
    t.name, 'constraint', o.name,
    CONCAT(
        o.type_desc, ' ', OBJECT_DEFINITION(o.[object_id]), ' ', OBJECT_NAME(f.referenced_object_id), ' ', f.is_disabled
    ),
    CONVERT(varchar(20), o.[object_id])
FROM sys.tables t
JOIN sys.objects o ON o.parent_object_id = t.[object_id] AND o.[type] IN ('C', 'D', 'F', 'PK', 'UQ')
LEFT JOIN sys.foreign_keys f ON f.[object_id] = o.[object_id]
WHERE SCHEMA_NAME(t.schema_id) = SCHEMA_NAME()
UNION ALL
SELECT
    t.name, 'trigger', g.name, CONCAT(g.is_disabled, ' ', OBJECT_DEFINITION(g.[object_id])),
    CONVERT(varchar(20), g.[object_id])
FROM sys.tables t
JOIN sys.triggers g ON g.parent_id = t.[object_id]
WHERE SCHEMA_NAME(t.schema_id) = SCHEMA_NAME()
