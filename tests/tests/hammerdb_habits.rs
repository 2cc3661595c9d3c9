//! Scripts in the style of older HammerDB versions and of users' own automation.

use crate::hammerdb::{built_on_postgres, console, in_order, script};
use tacho_tests::Folder;

/// A script that repeats a test with different numbers of virtual users. It waits with its own timer, as scripts had to
/// before `vurun` waited for the test to finish.
const AUTOPILOT: &str = r#"#!/bin/tclsh
proc runtimer { seconds } {
    set x 0
    set timerstop 0
    while {!$timerstop} {
        incr x
        after 100
        update
        if { [ vucomplete ] || $x eq $seconds } { set timerstop 1 }
    }
    return
}
set sequence [ split $::env(VU_LIST) "," ]
puts "SEQUENCE STARTED"
foreach z $sequence {
    puts "$z VU TEST"
    vuset vu $z
    vucreate
    tcstart
    tcstatus
    set jobid [ vurun ]
    runtimer 600
    tcstop
    vudestroy
    regexp {jobid=([0-9A-F]{24})$} $jobid -> id
    lappend ids $id
}
# The result is taken from the output by a puts of the script's own.
rename puts ::wrapped
set captured {}
proc puts { args } {
    if { [ llength $args ] == 1 } { append ::captured [ lindex $args 0 ] "\n" } else { ::wrapped {*}$args }
}
foreach id $ids { jobs $id result }
rename puts {}
rename ::wrapped puts
puts "RESULTS [ regexp -all {achieved \d+ NOPM from \d+ PostgreSQL TPM} $captured ]"
set csv [ open $::env(TMP)/results.csv w ]
foreach z $sequence id $ids { puts $csv "$z,$id" }
close $csv
puts "ARGS $argc [ lindex $argv 1 ]"
"#;

/// A script that runs the event loop until one of its procedures calls `exit`.
const WAITING: &str = r#"
proc wait_to_complete {} {
    global complete
    set complete [ vucomplete ]
    if {!$complete} { after 100 wait_to_complete } else { puts "COMPLETE"; exit }
}
loadscript
foreach { key value } { pg_driver timed pg_rampup 0 pg_duration 1 } { diset tpcc $key $value }
print dict
vuset vu 1
vucreate
vuset vu 4
vucreate
vurun
waittocomplete
vurun
wait_to_complete
vwait forever
"#;

const PYTHON: &str = "import os
tmp = os.getenv('TMP', default=os.getenv('TEMP'))
diset('tpcc', 'pg_allwarehouse', True)
giset('timeprofile', 'xt_gather_timeout', 1200)
giset('commandline', 'keepalive_margin', 1200)
for users in range(1, 3):
    loadscript()
    vuset('vu', users)
    vucreate()
    metstart()
    tcstart()
    tcstatus()
    result = tclpy.eval('vurun')
    keepalive()
    _waittocomplete()
    runtimer(600)
    vudestroy()
    tcstop()
    metstop()
    print('USERS', tclpy.eval('set virtual_users'), tclpy.eval('set ::rdbms'))
with open(os.path.join(tmp, 'pg_tprocc'), 'w') as file:
    file.write(result)
job(result.split('=')[1], 'result')
print('GUID', len(guid()))
putscli('a; [b] $c')
exit()
";

const TYPED: &str = "dbset db pg
print bm
vuset vu 1
vustatus
diset tpcc count_ware 5
diset tpcc pg_count_ware
diset tpcc mysql_count_ware 5
vurun
vustatus
vudestroy
vudestroy
jobs format text
jobs
quit
";

#[test]
fn scripts_of_users_run_as_they_are() {
    let folder = Folder::new();
    let _server = built_on_postgres(&folder);
    script(&folder, "diset tpcc pg_rampup 0\ndiset tpcc pg_duration 1\ntcset refreshrate 5\n")
        .exits(0);
    folder.write("autopilot.tcl", AUTOPILOT);
    let done =
        console(&folder, "tcl auto autopilot.tcl one 'two words'").env("VU_LIST", "1,2").exits(0);
    in_order(
        &done,
        &[
            "SEQUENCE STARTED",
            "1 VU TEST",
            "2 Virtual Users Created with Monitor VU",
            "ALL VIRTUAL USERS COMPLETE",
            "Stopping Transaction Counter",
            "vudestroy success",
            "2 VU TEST",
            "3 Virtual Users Created with Monitor VU",
            "vudestroy success",
            "RESULTS 2",
            "ARGS 2 two words",
        ],
    );
    let csv = String::from_utf8(folder.read("results.csv")).expect("text");
    assert!(csv.starts_with("1,") && csv.contains("\n2,"), "{csv}");
    let done = script(&folder, WAITING).exits(0);
    in_order(
        &done,
        &[
            "Dictionary Settings for PostgreSQL",
            "2 Virtual Users Created with Monitor VU",
            "Error: Virtual Users exist, destroy with vudestroy before changing settings",
            "Error: Virtual Users exist, destroy with vudestroy before creating",
            "ALL VIRTUAL USERS COMPLETE",
            "waittocomplete command has been deprecated and is not required for version v6.0",
            "ALL VIRTUAL USERS COMPLETE",
            "COMPLETE",
            "Shutting down HammerDB CLI",
        ],
    );
    folder.write("loop.py", PYTHON);
    let done = console(&folder, "py auto loop.py").exits(0);
    in_order(&done, &["USERS 1 PostgreSQL", "USERS 2 PostgreSQL", "GUID 24", "a; [b] $c"]);
    let file = String::from_utf8(folder.read("pg_tprocc")).expect("text");
    assert!(file.starts_with("Benchmark Run jobid="), "{file}");
    folder.write("typed.tcl", TYPED);
    let done = console(&folder, "").input(&folder.file("typed.tcl")).exits(0);
    in_order(
        &done,
        &[
            "Benchmark set to TPC-C",
            "No Virtual Users found",
            "Usage: diset dict key value",
            " 2 = FINISH SUCCESS",
            "vudestroy success",
            "No Virtual Users found to destroy",
            "Shutting down HammerDB CLI",
        ],
    );
    assert_eq!(done.out.matches("TPC-C Benchmark Run").count(), 7, "{}", done.out);
}
