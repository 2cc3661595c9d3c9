-- A setting with what decides over how it can be changed.
SELECT
    name,
    pg_catalog.current_setting(name),
    context,
    source,
    setting,
    vartype,
    coalesce(unit, '')
FROM pg_catalog.pg_settings
WHERE lower(name) = lower(NAME_OF_SETTING)
