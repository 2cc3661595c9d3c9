-- The session's database, and how many tables, views and routines there are in it.
SELECT DB_NAME(), COUNT(*)
FROM sys.objects
WHERE type IN ('U', 'V', 'P', 'FN', 'IF', 'TF') AND is_ms_shipped = 0
