# An old script: it waits by itself for what has long been over.
proc runtimer { seconds } {
    set x 0
    set timerstop 0
    while { !$timerstop } {
        incr x
        after 10
        if { ![ expr { $x % 10 } ] } { puts "Timer: $x" }
        update
        if { [ vucomplete ] || $x eq $seconds } { set timerstop 1 }
    }
    return
}
puts "SETTING CONFIGURATION"
dbset db maria
diset connection maria_host 127.0.0.1
diset connection maria_port @PORT@
diset connection maria_socket @SOCKET@
diset tpcc maria_user @USER@
diset tpcc maria_pass @PASSWORD@
diset tpcc maria_driver timed
diset tpcc maria_rampup 0
diset tpcc maria_duration 1
diset tpcc maria_no_stored_procs true
vuset logtotemp 1
loadscript
puts "SEQUENCE STARTED"
foreach z { 1 2 } {
    puts "$z VU TEST"
    vuset vu $z
    vucreate
    vurun
    runtimer 60
    vudestroy
    after 50
}
puts "TEST SEQUENCE COMPLETE"
