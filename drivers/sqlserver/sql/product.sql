-- Babelfish has a property of its name; SQL Server does not know the property.
SELECT CAST(SERVERPROPERTY('Babelfish') AS INT), @@VERSION
