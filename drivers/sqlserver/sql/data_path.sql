-- The first file of the database.
SELECT physical_name FROM sys.database_files WHERE file_id = 1
