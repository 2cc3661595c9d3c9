-- Views of the scripted TDS server: what a driver asks SQL Server about itself, with the names that SQL Server has.
CREATE TABLE "tds.routines" (name TEXT PRIMARY KEY, type TEXT NOT NULL, definition TEXT NOT NULL);
CREATE VIEW "sys.tables" AS SELECT name, rowid AS object_id, 1 AS schema_id, 'U ' AS type, 'USER_TABLE' AS type_desc
FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%.%';
CREATE VIEW "sys.objects" AS SELECT name, rowid AS object_id, 1 AS schema_id, CASE type WHEN 'table' THEN 'U ' ELSE 'V ' END AS type,
0 AS is_ms_shipped FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%.%'
UNION ALL SELECT name, 1000000 + rowid, 1, type, 0 FROM "tds.routines" WHERE name NOT LIKE 'sp!_%' ESCAPE '!';
CREATE VIEW "sys.sql_modules" AS SELECT 1000000 + rowid AS object_id, definition FROM "tds.routines";
CREATE VIEW "sys.procedures" AS SELECT name, object_id, schema_id FROM "sys.objects" WHERE type = 'P';
CREATE VIEW "sys.schemas" AS SELECT 'dbo' AS name, 1 AS schema_id;
CREATE VIEW "sys.columns" AS SELECT t.object_id, c.name, c.cid + 1 AS column_id, 1 - c."notnull" AS is_nullable, lower(c.type) AS data_type
FROM "sys.tables" t JOIN pragma_table_info(t.name) c;
CREATE VIEW "sys.indexes" AS SELECT t.object_id, i.name, i.seq + 1 AS index_id, i."unique" AS is_unique, i.origin = 'pk' AS is_primary_key
FROM "sys.tables" t JOIN pragma_index_list(t.name) i;
CREATE VIEW "information_schema.tables" AS SELECT db_name() AS TABLE_CATALOG, 'dbo' AS TABLE_SCHEMA, name AS TABLE_NAME, 'BASE TABLE' AS TABLE_TYPE
FROM "sys.tables";
CREATE VIEW "information_schema.columns" AS SELECT 'dbo' AS TABLE_SCHEMA, t.name AS TABLE_NAME, c.name AS COLUMN_NAME, c.column_id AS ORDINAL_POSITION, c.data_type AS DATA_TYPE
FROM "sys.tables" t JOIN "sys.columns" c ON c.object_id = t.object_id;
CREATE VIEW "sys.databases" AS SELECT db_name() AS name, 5 AS database_id, 0 AS state, 'ONLINE' AS state_desc, 160 AS compatibility_level,
'Latin1_General_100_CI_AS_SC_UTF8' AS collation_name, 3 AS recovery_model, 'SIMPLE' AS recovery_model_desc, 1 AS is_read_committed_snapshot_on,
1 AS snapshot_isolation_state, 'ON' AS snapshot_isolation_state_desc, 0 AS delayed_durability, 'DISABLED' AS delayed_durability_desc,
0 AS is_auto_create_stats_on, 0 AS is_auto_update_stats_on, 0 AS is_query_store_on, 'CHECKSUM' AS page_verify_option_desc,
0 AS is_accelerated_database_recovery_on, 1 AS is_memory_optimized_elevate_to_snapshot_on;
CREATE VIEW "sys.filegroups" AS SELECT 'PRIMARY' AS name, 1 AS data_space_id, 'FG' AS type;
CREATE TABLE "tds.configurations" (configuration_id INTEGER, name TEXT, value INTEGER, minimum INTEGER, maximum INTEGER,
is_dynamic INTEGER, is_advanced INTEGER);
INSERT INTO "tds.configurations" VALUES (1539, 'max degree of parallelism', 1, 0, 32767, 1, 1),
(1538, 'cost threshold for parallelism', 5, 0, 32767, 1, 1), (1544, 'max server memory (MB)', 2048, 128, 2147483647, 1, 1),
(503, 'max worker threads', 0, 128, 65535, 1, 1), (103, 'user connections', 0, 0, 32767, 0, 1),
(518, 'show advanced options', 0, 0, 1, 1, 0);
CREATE VIEW "sys.configurations" AS SELECT *, value AS value_in_use FROM "tds.configurations";
CREATE TRIGGER "tds.configure" INSTEAD OF UPDATE ON "sys.configurations" BEGIN
UPDATE "tds.configurations" SET value = NEW.value WHERE name = NEW.name;
END;
INSERT INTO "tds.routines" VALUES ('sp_configure', 'P',
'CREATE PROCEDURE sp_configure @configname NVARCHAR(35), @configvalue INT AS
UPDATE sys.configurations SET value = @configvalue WHERE name = @configname');
CREATE VIEW "sys.dm_os_performance_counters" AS SELECT column1 AS object_name, column2 AS counter_name, column3 AS instance_name,
column4 AS cntr_value, 272696576 AS cntr_type FROM (VALUES
('SQLServer:SQL Statistics', 'Batch Requests/sec', '', tds_count('batches')),
('SQLServer:Databases', 'Transactions/sec', db_name(), tds_count('commits') + tds_count('rollbacks')),
('SQLServer:Databases', 'Write Transactions/sec', db_name(), tds_count('commits')),
('SQLServer:Databases', 'Log Flushes/sec', db_name(), tds_count('commits')),
('SQLServer:Locks', 'Number of Deadlocks/sec', '_Total', 0));
CREATE VIEW "sys.dm_exec_sessions" AS SELECT value ->> 'id' AS session_id, value ->> 'host' AS host_name, value ->> 'program' AS program_name,
value ->> 'login' AS login_name, value ->> 'reads' AS logical_reads, 0 AS reads, 0 AS writes, value ->> 'reads' AS cpu_time,
value ->> 'reads' AS row_count, 1 AS is_user_process, 'running' AS status, 2 AS transaction_isolation_level, 5 AS database_id,
value ->> 'open' AS open_transaction_count FROM json_each(tds_sessions());
CREATE VIEW "sys.dm_exec_connections" AS SELECT value ->> 'id' AS session_id, 'TCP' AS net_transport, value ->> 'encrypted' AS encrypt_option,
'SQL' AS auth_scheme, '127.0.0.1' AS client_net_address FROM json_each(tds_sessions());
CREATE VIEW "sys.dm_exec_requests" AS SELECT value ->> 'id' AS session_id, 'running' AS status, 'SELECT' AS command, NULL AS wait_type,
0 AS wait_time, 0 AS blocking_session_id, 5 AS database_id, NULL AS last_wait_type FROM json_each(tds_sessions());
CREATE VIEW "sys.dm_os_sys_info" AS SELECT 2 AS cpu_count, 4194304 AS physical_memory_kb, 2097152 AS committed_kb, tds_now() AS sqlserver_start_time;
CREATE VIEW "sys.dm_os_host_info" AS SELECT 'Linux' AS host_platform, 'Ubuntu' AS host_distribution, '22.04' AS host_release;
CREATE VIEW "sys.dm_os_wait_stats" AS SELECT column1 AS wait_type, column2 AS waiting_tasks_count, column3 AS wait_time_ms, 0 AS max_wait_time_ms,
0 AS signal_wait_time_ms FROM (VALUES ('WRITELOG', tds_count('commits'), tds_count('commits')), ('LCK_M_X', 0, 0), ('PAGEIOLATCH_SH', 0, 0));
CREATE VIEW "sys.dm_os_waiting_tasks" AS SELECT NULL AS session_id, NULL AS wait_type, NULL AS wait_duration_ms, NULL AS blocking_session_id
WHERE 0;
CREATE VIEW "sys.dm_db_partition_stats" AS SELECT object_id, 1 AS index_id, 1 AS partition_number, 0 AS row_count, 1 AS used_page_count, 1 AS reserved_page_count
FROM "sys.tables";
CREATE VIEW "sys.database_files" AS SELECT column1 AS file_id, column2 AS type, column3 AS type_desc, column4 AS name, column5 AS physical_name, 1024 AS size
FROM (VALUES (1, 0, 'ROWS', 'tacho', '/var/opt/mssql/data/tacho.mdf'), (2, 1, 'LOG', 'tacho_log', '/var/opt/mssql/data/tacho_log.ldf'));
CREATE VIEW "sys.fn_my_permissions" AS SELECT 'database' AS entity_name, '' AS subentity_name, column1 AS permission_name
FROM (VALUES ('CONNECT'), ('CREATE TABLE'), ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE'), ('VIEW DATABASE STATE'), ('VIEW SERVER STATE'));
