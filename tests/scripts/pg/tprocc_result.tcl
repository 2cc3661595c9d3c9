# Writes what a run has found to a file, by redirecting standard output.
set tmpdir $::env(TMP)
set ::outputfile $tmpdir/pg_tprocc
proc getchart_less_result { jobid out } {
    rename puts originalputs
    set ::resultfile [ open $out w ]
    proc puts { args } {
        if { [ llength $args ] == 1 } {
            originalputs $::resultfile [ lindex $args 0 ]
        } else {
            eval originalputs $args
        }
    }
    puts "TRANSACTION RESPONSE TIMES"
    job $jobid timing
    puts "TRANSACTION COUNT"
    job $jobid tcount
    puts "HAMMERDB RESULT"
    job $jobid 1
    rename puts {}
    rename originalputs puts
    close $::resultfile
}
set fd [ open $::outputfile r ]
set job [ string trim [ read $fd ] ]
close $fd
set jobid [ lindex [ split $job = ] 1 ]
getchart_less_result $jobid $tmpdir/pg_tprocc_$jobid.out
puts "RESULT OF $jobid WRITTEN"
job $jobid result
job $jobid dict
