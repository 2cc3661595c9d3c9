-- Counters of all instances.
SELECT name, SUM(value) FROM gv$sysstat GROUP BY name
