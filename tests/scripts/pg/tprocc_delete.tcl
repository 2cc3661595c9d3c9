dbset db pg
dbset bm TPC-C
diset connection pg_host @HOST@
diset connection pg_port @PORT@
diset tpcc pg_dbase tpcc
puts "DROP SCHEMA STARTED"
deleteschema
puts "DROP SCHEMA COMPLETED"
