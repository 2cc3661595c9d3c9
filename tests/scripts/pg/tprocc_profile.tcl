# One run for each count of virtual users, twice, and a comparison of the two.
proc loop { id sequence } {
    jobs profileid $id
    foreach z $sequence {
        puts "$z VU TEST"
        vuset vu $z
        vucreate
        if { [ catch { set result [ vurun ] } message ] } {
            puts "ERROR $message"
            return
        }
        puts "RETURNED $result"
        vudestroy
        after 100
    }
}
dbset db pg
dbset bm TPROC-C
diset connection pg_host @HOST@
diset connection pg_port @PORT@
diset tpcc pg_driver timed
diset tpcc pg_rampup 0
diset tpcc pg_duration 1
giset commandline jobsoutput text
set order { 1 2 }
set profileid [ expr { [ info exists ::env(PROFILEID) ] ? $::env(PROFILEID) : 1000 } ]
if { ![ string is entier $profileid ] } { puts "wrong profile id"; exit 1 }
loop $profileid $order
loop [ incr profileid ] $order
jobs profile $profileid
jobs diff [ expr { $profileid - 1 } ] $profileid
jobs [ expr { $profileid - 1 } ] getchart diff:$profileid
jobs profileid all
jobs
exit
