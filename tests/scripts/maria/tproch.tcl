dbset db maria
dbset bm TPROC-H
diset connection maria_host 127.0.0.1
diset connection maria_port @PORT@
diset connection maria_socket @SOCKET@
diset tpch maria_scale_fact 1
diset tpch maria_num_tpch_threads 1
diset tpch maria_tpch_user @USER@
diset tpch maria_tpch_pass @PASSWORD@
diset tpch maria_tpch_dbase tpch
diset tpch maria_tpch_storage_engine innodb
puts "SCHEMA BUILD STARTED"
buildschema
puts "SCHEMA BUILD COMPLETED"
checkschema
diset tpch maria_total_querysets 1
diset tpch maria_raise_query_error false
diset tpch maria_refresh_on false
loadscript
vuset vu 2
vucreate
tcstart
set jobid [ vurun ]
tcstop
vudestroy
puts "RETURNED $jobid"
jobs result
deleteschema
puts "DROP SCHEMA COMPLETED"
