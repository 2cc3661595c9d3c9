-- Transactions that have ended since the database was loaded into memory.
SELECT xact_commits, xact_rollbacks FROM sys.monitor
