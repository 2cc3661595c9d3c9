set tmpdir $::env(TMP)
puts "SETTING CONFIGURATION"
dbset db pg
dbset bm TPC-H

diset connection pg_host @HOST@
diset connection pg_port @PORT@
diset tpch pg_tpch_user tpch
diset tpch pg_tpch_pass tpch
diset tpch pg_tpch_dbase tpch
diset tpch pg_scale_fact 1
diset tpch pg_total_querysets 1
diset tpch pg_degree_of_parallel 2
diset tpch pg_verbose false

loadscript
puts "TEST STARTED"
foreach z { 1 2 } {
    puts "$z VU TEST"
    vuset vu $z
    vucreate
    tcstart
    set jobid [ vurun ]
    tcstop
    vudestroy
    puts "RETURNED $jobid"
}
puts "TEST COMPLETE"
set of [ open $tmpdir/pg_tproch w ]
puts $of $jobid
close $of
