set tmpdir $::env(TMP)
puts "SETTING CONFIGURATION"
dbset db maria
dbset bm TPC-C
diset connection maria_host 127.0.0.1
diset connection maria_port @PORT@
diset connection maria_socket @SOCKET@
diset tpcc maria_user @USER@
diset tpcc maria_pass @PASSWORD@
diset tpcc maria_dbase tpcc
diset tpcc maria_driver timed
diset tpcc maria_rampup 1
diset tpcc maria_duration 2
diset tpcc maria_allwarehouse true
diset tpcc maria_timeprofile true
diset tpcc maria_purge true
diset tpcc maria_no_stored_procs @SQL@
loadscript
puts "TEST STARTED"
vuset vu vcpu
vucreate
tcstart
tcstatus
set jobid [ vurun ]
vudestroy
tcstop
puts "TEST COMPLETE"
set of [ open $tmpdir/maria_tprocc w ]
puts $of $jobid
close $of
