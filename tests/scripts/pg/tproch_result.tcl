set tmpdir $::env(TMP)
set fd [ open $tmpdir/pg_tproch r ]
set jobid [ lindex [ split [ string trim [ read $fd ] ] = ] 1 ]
close $fd
job $jobid result
job $jobid timing
job $jobid timing 1
jobs result
jobs
job $jobid getchart result
job $jobid getchart timing
jobs $jobid save
