-- Transactions that ended, of all instances.
SELECT
    SUM(CASE name WHEN 'user commits' THEN value END),
    SUM(CASE name WHEN 'user rollbacks' THEN value END)
FROM gv$sysstat
WHERE name IN ('user commits', 'user rollbacks')
