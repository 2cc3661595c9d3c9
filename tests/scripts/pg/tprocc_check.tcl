puts "SETTING CONFIGURATION"
dbset db pg
dbset bm TPROC-C
diset connection pg_host @HOST@
diset connection pg_port @PORT@
diset tpcc pg_count_ware 2
diset tpcc pg_dbase tpcc
puts "CHECK SCHEMA STARTED"
checkschema
puts "CHECK SCHEMA COMPLETED"
