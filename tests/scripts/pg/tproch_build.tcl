puts "SETTING CONFIGURATION"
dbset db pg
dbset bm TPC-H

diset connection pg_host @HOST@
diset connection pg_port @PORT@
diset connection pg_sslmode prefer

set vu 2
diset tpch pg_scale_fact 1
diset tpch pg_num_tpch_threads $vu
diset tpch pg_tpch_superuser postgres
diset tpch pg_tpch_superuserpass postgres
diset tpch pg_tpch_defaultdbase postgres
diset tpch pg_tpch_user tpch
diset tpch pg_tpch_pass tpch
diset tpch pg_tpch_dbase tpch
diset tpch pg_tpch_tspace pg_default
diset tpch pg_tpch_gpcompat false
diset tpch pg_tpch_gpcompress false

puts "SCHEMA BUILD STARTED"
buildschema
puts "SCHEMA BUILD COMPLETED"
puts "CHECK SCHEMA STARTED"
checkschema
puts "CHECK SCHEMA COMPLETED"
