-- Columns, indexes, constraints and triggers of the user's tables. What the dictionary keeps as LONG, such as the text of
-- a trigger, cannot be part of an expression: the moment of the last change stands for it.
SELECT
    c.table_name, 'column', c.column_name,
    c.data_type || ' ' || c.data_length || ' ' || c.data_precision || ' ' || c.data_scale || ' ' || c.nullable,
    TO_CHAR(c.column_id)
FROM user_tab_columns c
UNION ALL
SELECT
    i.table_name, 'index', i.index_name,
    i.index_type || ' ' || i.uniqueness || ' ' || i.status || ' ' || i.visibility || ' ' || (
        SELECT LISTAGG(x.column_name || ' ' || x.descend, ',') WITHIN GROUP (ORDER BY x.column_position)
        FROM user_ind_columns x
        WHERE x.index_name = i.index_name
    ),
    TO_CHAR(o.object_id)
FROM user_indexes i
JOIN user_objects o ON o.object_name = i.index_name AND o.object_type = 'INDEX'
UNION ALL
SELECT
    k.table_name, 'constraint', k.constraint_name,
    k.constraint_type || ' ' || k.status || ' ' || k.validated || ' ' || k.r_constraint_name || ' ' || k.index_name,
    TO_CHAR(k.last_change, 'YYYY-MM-DD HH24:MI:SS')
FROM user_constraints k
UNION ALL
SELECT
    g.table_name, 'trigger', g.trigger_name,
    g.trigger_type || ' ' || g.triggering_event || ' ' || g.status || ' ' || o.timestamp, TO_CHAR(o.object_id)
FROM user_triggers g
JOIN user_objects o ON o.object_name = g.trigger_name AND o.object_type = 'TRIGGER'
WHERE g.table_name IS NOT NULL
