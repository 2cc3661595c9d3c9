-- Tables with their columns, and the text that created them.
SELECT
    lower(m.name), m.sql,
    (
        SELECT group_concat(
            lower(c.name) || ' ' || lower(c.type) || ' ' || c."notnull" || ' ' || c.pk, char(10)
        )
        FROM pragma_table_xinfo(m.name) c
    ),
    'DROP TABLE "' || replace(m.name, '"', '""') || '"'
FROM sqlite_master m
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY 1
