-- What needs a table of the user: views and routines of anybody, as far as they are shown.
SELECT owner || '.' || name, type, referenced_name
FROM all_dependencies
WHERE referenced_owner = USER AND referenced_type = 'TABLE' AND type IN ('VIEW', 'MATERIALIZED VIEW')
