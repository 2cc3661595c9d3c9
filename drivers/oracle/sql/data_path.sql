-- The first data file of the database.
SELECT MIN(name) FROM v$datafile
