-- Tables with their columns, and the text that created them; then views and indexes, whose names a table cannot have.
SELECT
    'table', lower(m.name), m.sql,
    (
        SELECT group_concat(
            lower(c.name) || ' ' || lower(c.type) || ' ' || c."notnull" || ' ' || c.pk, char(10)
        )
        FROM pragma_table_xinfo(m.name) c
    ),
    'DROP TABLE "' || replace(m.name, '"', '""') || '"'
FROM sqlite_master m
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\'
UNION ALL
SELECT 'other', lower(o.name), NULL, o.type, NULL
FROM sqlite_master o
WHERE o.type IN ('view', 'index') AND o.name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY 1 DESC, 2
