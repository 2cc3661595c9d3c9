-- What the user may do, of what a build needs, and whether there is room for it.
SELECT privilege
FROM session_privs
WHERE privilege IN ('CREATE TABLE', 'CREATE PROCEDURE', 'UNLIMITED TABLESPACE')
UNION ALL
SELECT 'QUOTA' FROM user_ts_quotas WHERE max_bytes <> 0
