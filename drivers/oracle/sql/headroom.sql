-- How many sessions and processes the instance takes, and how many there are.
SELECT TRIM(limit_value), current_utilization
FROM v$resource_limit
WHERE resource_name IN ('processes', 'sessions')
