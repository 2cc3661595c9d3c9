-- A setting of the server by its name, with what is allowed, when a change holds, and whether it is shown.
SELECT c.name, CAST(c.value AS BIGINT), CAST(c.minimum AS BIGINT), CAST(c.maximum AS BIGINT), CAST(c.is_dynamic AS INT),
    CAST(c.is_advanced AS INT), (SELECT CAST(value_in_use AS INT) FROM sys.configurations WHERE name = 'show advanced options')
FROM sys.configurations c
WHERE REPLACE(c.name, ' ', '_') = NAME_OF_SETTING
