-- What T-SQL writes in its own way; same signatures as in the base files.

-- LEN leaves trailing blanks out.
-- name: check_texts() -> (table_name text, id int, c_length int, pad_length int)
SELECT 'sbtest' AS table_name, id, LEN(c) AS c_length, LEN(pad) AS pad_length
FROM sbtest WHERE LEN(c) <> 119 OR LEN(pad) <> 59
ORDER BY table_name, id
LIMIT 1000
