-- Transactions that ended, of the instance.
SELECT
    SUM(CASE name WHEN 'user commits' THEN value END),
    SUM(CASE name WHEN 'user rollbacks' THEN value END)
FROM v$sysstat
WHERE name IN ('user commits', 'user rollbacks')
