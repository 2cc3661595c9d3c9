-- Foreign keys between tables: from which one to which one.
SELECT lower(m.name), lower(k."table")
FROM sqlite_master m, pragma_foreign_key_list(m.name) k
WHERE m.type = 'table'
ORDER BY 1, 2
