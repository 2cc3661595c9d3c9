-- The names of all tables and views in upper case.
SELECT upper(name) FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT GLOB 'sqlite_*'
