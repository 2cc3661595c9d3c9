-- Foreign keys: their name, the table that has one, and the table that it refers to.
SELECT f.name, o.name, r.name
FROM sys.foreign_keys f
JOIN sys.tables o ON o.object_id = f.parent_object_id
JOIN sys.tables r ON r.object_id = f.referenced_object_id
