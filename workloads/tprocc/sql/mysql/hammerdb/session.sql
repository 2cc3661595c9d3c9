-- What HammerDB's sessions begin with: a row that others have changed since the transaction first read may
-- be written all the same. Only MariaDB from 11.6.2 on has that forbidden from the start; no other server
-- reads what is within the comment.
SET @tacho_stale_writes = 1 /*M!110602 , SESSION innodb_snapshot_isolation = OFF */
