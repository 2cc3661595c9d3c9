puts "SETTING CONFIGURATION"
dbset db maria
dbset bm TPC-C
diset connection maria_host 127.0.0.1
diset connection maria_port @PORT@
diset connection maria_socket @SOCKET@
set vu [ numberOfCPUs ]
set warehouse [ expr { $vu > 2 ? 2 : $vu } ]
diset tpcc maria_count_ware 1
diset tpcc maria_num_vu 1
diset tpcc maria_user @USER@
diset tpcc maria_pass @PASSWORD@
diset tpcc maria_dbase tpcc
diset tpcc maria_storage_engine innodb
if { $warehouse >= 200 } {
diset tpcc maria_partition true
} else {
diset tpcc maria_partition false
}
puts "SCHEMA BUILD STARTED"
buildschema
puts "SCHEMA BUILD COMPLETED"
puts "CHECK SCHEMA"
checkschema
