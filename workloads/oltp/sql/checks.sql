-- The conditions on the data. The first lines of each are repeated for each table, joined by UNION ALL, up to
-- ORDER BY, or those between parentheses on lines of their own. Each check returns one row per violation. LIMIT 1000 bounds the answer, so a count of 1000 means
-- "at least 1000".

-- name: check_rows(size int) -> (table_name text, found_rows int)
SELECT table_name, found_rows
FROM (SELECT 'sbtest' AS table_name, COUNT(*) AS found_rows FROM sbtest) counted
WHERE found_rows <> :size
ORDER BY table_name

-- name: check_ids(size int) -> (table_name text, id int)
SELECT 'sbtest' AS table_name, id FROM sbtest WHERE id < 1 OR id > :size
ORDER BY table_name, id
LIMIT 1000

-- Databases pad char(n) with blanks, or do not.
-- name: check_texts() -> (table_name text, id int, c_length int, pad_length int)
SELECT 'sbtest' AS table_name, id, LENGTH(RTRIM(c)) AS c_length, LENGTH(RTRIM(pad)) AS pad_length
FROM sbtest WHERE LENGTH(RTRIM(c)) <> 119 OR LENGTH(RTRIM(pad)) <> 59
ORDER BY table_name, id
LIMIT 1000

-- A range of rows of each table, which are compared with what the load made of them.
-- name: sample_rows(first int, last int) -> (table_name text, id int, k int, c text, pad text)
SELECT 'sbtest' AS table_name, id, k, c, pad FROM sbtest WHERE id BETWEEN :first AND :last
ORDER BY table_name, id

-- The highest number of a row of each table, after which new ones begin.
-- name: last_ids() -> (table_name text, last_id int)
SELECT 'sbtest' AS table_name, COALESCE(MAX(id), 0) AS last_id FROM sbtest
ORDER BY table_name

-- The rows of bulk-insert, whose numbers have no gaps: counted without reading them.
-- name: rows_total() -> (found_rows int)
SELECT SUM(last_id) AS found_rows
FROM (
SELECT COALESCE(MAX(id), 0) AS last_id FROM sbtest
) counted

-- name: check_numbers() -> (table_name text, found_rows int, first_id int, last_id int)
SELECT table_name, found_rows, first_id, last_id
FROM (SELECT 'sbtest' AS table_name, COUNT(*) AS found_rows, COALESCE(MIN(id), 1) AS first_id,
    COALESCE(MAX(id), 0) AS last_id FROM sbtest) counted
WHERE first_id <> 1 OR found_rows <> last_id
ORDER BY table_name

-- name: check_values() -> (table_name text, id int, k int)
SELECT 'sbtest' AS table_name, id, k FROM sbtest WHERE k <> id
ORDER BY table_name, id
LIMIT 1000
