-- What HammerDB's sessions begin with: a row that others have changed since the transaction first read may
-- be written all the same. MariaDB forbids that from 11.6.2 on, and in older releases a setting forbids it; where
-- there is no such setting, nothing is done. MySQL reads nothing of what is within the comments.
SET @tacho_stale_writes = /*M!100500 IF(
    EXISTS(SELECT 1 FROM information_schema.system_variables
           WHERE variable_name = 'INNODB_SNAPSHOT_ISOLATION'),
    'SET SESSION innodb_snapshot_isolation = OFF', */ 'DO 0' /*M!100500 ) */;
PREPARE tacho_stale_writes FROM @tacho_stale_writes;
EXECUTE tacho_stale_writes;
DEALLOCATE PREPARE tacho_stale_writes
