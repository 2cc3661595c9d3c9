-- Counters of the instance.
SELECT name, value FROM v$sysstat
