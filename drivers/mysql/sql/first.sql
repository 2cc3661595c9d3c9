-- Not in the binary log: a replica has its own users, and a primary must not wait for one before it is made.
SET sql_log_bin = 0;
CREATE DATABASE IF NOT EXISTS tacho;
CREATE USER IF NOT EXISTS 'tacho'@'127.0.0.1' IDENTIFIED BY 'PASSWORD_OF_TACHO';
GRANT ALL PRIVILEGES ON *.* TO 'tacho'@'127.0.0.1' WITH GRANT OPTION;
DROP USER IF EXISTS 'root'@'127.0.0.1', 'root'@'::1', ''@'localhost';
