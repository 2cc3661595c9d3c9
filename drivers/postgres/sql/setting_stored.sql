-- The value that ALTER SYSTEM has written; of several the last one counts.
SELECT setting
FROM pg_catalog.pg_file_settings
WHERE lower(name) = lower(NAME_OF_SETTING)
    AND sourcefile LIKE '%/postgresql.auto.conf'
ORDER BY seqno DESC
LIMIT 1
