#!/usr/local/bin/tclsh
# A driver as users save and edit it: options, packages, a monitor that counts, and virtual users that call the
# functions of the schema.
set library Pgtcl ;# the package of the database
set total_iterations 1000000
set duration_ms 1500
set host "@HOST@"
set port "@PORT@"
set sslmode "prefer"
set superuser "postgres"
set superuser_password "postgres"
set default_database "postgres"
set user "tpcc"
set password "tpcc"
set db "tpcc"
if [catch {package require $library} message] { error "Failed to load $library - $message" }
if [catch {package require tpcccommon} ] { error "Failed to load tpcccommon" } else { namespace import tpcccommon::* }
if { [ chk_thread ] eq "FALSE" } { error "the script must be run in a thread" }
proc connect { host port sslmode user password dbname } {
    if {[catch {set lda [pg_connect -conninfo [list host = $host port = $port sslmode = $sslmode user = $user password = $password dbname = $dbname ]]} message]} {
        error $message
    }
    pg_notice_handler $lda puts
    set result [ pg_exec $lda "set CLIENT_MIN_MESSAGES TO 'ERROR'" ]
    pg_result $result -clear
    return $lda
}
proc orders { lda } {
    pg_select $lda "select sum(d_next_o_id) from district" found { set sum $found(sum) }
    return $sum
}
lassign [ findvuposition ] myposition totalvirtualusers
switch $myposition {
    1 {
        set super [ connect $host $port $sslmode $superuser $superuser_password $default_database ]
        set lda [ connect $host $port $sslmode $user $password $db ]
        set start [ orders $lda ]
        set slept 0
        while { $slept < $duration_ms } {
            if { [ tsv::get application abort ] } { break } else { after 100 }
            incr slept 100
        }
        set end [ orders $lda ]
        set nopm [ expr { ($end - $start) * 60000 / $duration_ms } ]
        set result [ pg_exec $super "select datname from pg_database where datname = '$db'" ]
        puts "[ pg_result $result -status ] [ pg_result $result -numTuples ] [ pg_result $result -list ] [ pg_result $result -attributes ]"
        pg_result $result -clear
        set failed [ pg_exec $lda "select nosuch" ]
        puts "[ pg_result $failed -status ] [ string match *nosuch* [ pg_result $failed -error ] ]"
        puts "[ expr $totalvirtualusers - 1 ] Active Virtual Users configured"
        puts "TEST RESULT : System achieved $nopm NOPM from $nopm PostgreSQL TPM"
        tsv::set application abort 1
        pg_disconnect $lda
        pg_disconnect $super
    }
    default {
        set lda [ connect $host $port $sslmode $user $password $db ]
        set result [ pg_exec $lda "prepare neword (INTEGER, INTEGER, INTEGER, INTEGER, INTEGER) AS select neword(\$1,\$2,\$3,\$4,\$5,0)" ]
        pg_result $result -clear
        set count 0
        for { set it 0 } { $it < $total_iterations } { incr it } {
            if { [ tsv::get application abort ] } { break }
            set result [ pg_exec_prepared $lda neword {} {} 1 1 [ RandomNumber 1 10 ] [ RandomNumber 1 3000 ] [ RandomNumber 5 15 ] ]
            if { [ pg_result $result -status ] != "PGRES_TUPLES_OK" } { error [ pg_result $result -error ] }
            if { [ lindex [ pg_result $result -getTuple 0 ] 0 ] > 0 } { incr count }
            pg_result $result -clear
        }
        puts "CALLED [ expr { $count > 0 } ] [ string length [ gettimestamp ] ] [ randname 371 ]"
        pg_disconnect $lda
    }
}
