-- Foreign keys that refer to a table of the user: name, the table that has one, and the other one.
SELECT f.constraint_name, f.owner || '.' || f.table_name, f.table_name, k.table_name
FROM all_constraints f
JOIN all_constraints k ON k.owner = f.r_owner AND k.constraint_name = f.r_constraint_name
WHERE f.constraint_type = 'R' AND k.owner = USER
