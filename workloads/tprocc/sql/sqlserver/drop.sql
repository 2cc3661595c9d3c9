-- What removes the routines of all sets, one statement a line.

DROP PROCEDURE IF EXISTS tprocc_new_order
DROP PROCEDURE IF EXISTS tprocc_payment
DROP PROCEDURE IF EXISTS tprocc_order_status
DROP PROCEDURE IF EXISTS tprocc_delivery
DROP PROCEDURE IF EXISTS tprocc_stock_level
