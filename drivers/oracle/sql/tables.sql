-- The user's tables, without those in the recycle bin and those below a nested column.
SELECT table_name FROM user_tables WHERE dropped = 'NO' AND nested = 'NO' ORDER BY table_name
