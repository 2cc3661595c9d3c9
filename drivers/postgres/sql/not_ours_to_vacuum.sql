-- A table with dead rows that this role may not vacuum, and how many such tables there are.
SELECT min(c.relname::text), count(*)
FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid JOIN pg_database d ON d.datname = current_database()
WHERE s.n_dead_tup > 0 AND NOT pg_has_role(c.relowner, 'USAGE') AND NOT pg_has_role(d.datdba, 'USAGE')
  AND NOT CASE WHEN current_setting('server_version_num')::int >= 170000
               THEN has_table_privilege(c.oid, 'MAINTAIN') ELSE false END
