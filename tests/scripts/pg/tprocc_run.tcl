set tmpdir $::env(TMP)
puts "SETTING CONFIGURATION"
dbset db pg
dbset bm TPC-C

giset commandline keepalive_margin 1200
giset timeprofile xt_gather_timeout 1200

diset connection pg_host @HOST@
diset connection pg_port @PORT@
diset tpcc pg_superuser postgres
diset tpcc pg_user tpcc
diset tpcc pg_pass tpcc
diset tpcc pg_dbase tpcc
diset tpcc pg_driver timed
diset tpcc pg_total_iterations 10000000
diset tpcc pg_rampup 2
diset tpcc pg_duration 3
diset tpcc pg_allwarehouse true
diset tpcc pg_timeprofile true
diset tpcc pg_vacuum true

loadscript
puts "TEST STARTED"
vuset vu 2
vuset logtotemp 1
vucreate
tcstart
tcstatus
set jobid [ vurun ]
vudestroy
tcstop
puts "TEST COMPLETE"
set of [ open $tmpdir/pg_tprocc w ]
puts $of $jobid
close $of
