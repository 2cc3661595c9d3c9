//! Driver scripts that HammerDB users have saved load packages, so Tacho must provide these packages.

use crate::hammerdb::{
    built_on_mariadb, built_on_postgres, in_order, jobid, place, result, script,
};
use tacho_tests::Folder;

#[test]
fn a_saved_driver_for_postgresql_finds_its_packages() {
    let folder = Folder::new();
    let server = built_on_postgres(&folder);
    let port = server.port().to_string();
    place(&folder, "pg/saved_driver.tcl", &[("HOST", "127.0.0.1"), ("PORT", &port)]);
    let head = format!(
        "dbset db pg\ndiset connection pg_host 127.0.0.1\ndiset connection pg_port {port}\n\
         diset tpcc pg_superuserpass {{}}\nvuset delay 0\n"
    );
    script(&folder, &head).exits(0);
    let text = "customscript saved_driver.tcl\ncustommonitor timed\nvuset vu 2\nvucreate\nvurun\nvudestroy\n";
    let done = script(&folder, text).exits(0);
    in_order(
        &done,
        &[
            "Vuser 1 created MONITOR - WAIT IDLE",
            "3 Virtual Users Created with Monitor VU",
            "Vuser 1:PGRES_TUPLES_OK 1 tpcc datname",
            "Vuser 1:PGRES_FATAL_ERROR 1",
            "Vuser 1:2 Active Virtual Users configured",
            "ALL VIRTUAL USERS COMPLETE",
        ],
    );
    assert_eq!(done.out.matches(":CALLED 1 14 PRICALLYOUGHT\n").count(), 2, "{}", done.out);
    assert!(result(&done, "PostgreSQL").0 > 0, "{}", done.out);
    // The job's stored result is the same as the one that the script printed.
    let id = jobid(&done, "Benchmark Run");
    script(&folder, &format!("job {id} result")).exits(0).says(&["TEST RESULT : System achieved"]);
}

#[test]
fn a_saved_driver_for_mariadb_finds_its_packages() {
    let folder = Folder::new();
    let server = built_on_mariadb(&folder);
    let (port, password) = (server.port(), server.password());
    let head = format!(
        "dbset db maria\ndiset connection maria_host 127.0.0.1\ndiset connection maria_port {port}\n\
         diset connection maria_socket null\ndiset tpcc maria_user tacho\ndiset tpcc maria_pass {password}\n\
         vuset delay 0\n"
    );
    script(&folder, &head).exits(0);
    // The two packages differ only in their command names.
    for (package, name) in [("mysqltcl", "mysql"), ("mariatcl", "maria")] {
        let text = format!(
            "package require {package}\npackage require tpcccommon\nnamespace import tpcccommon::*\n\
             set handle [ {name}connect -host 127.0.0.1 -port {port} -user tacho -password {password} ]\n\
             {name}use $handle tpcc\n{name}::autocommit $handle 0\n\
             set w [ list [ {name}::sel $handle \"select max(w_id) from warehouse\" -list ] ]\n\
             set before [ {name}::sel $handle \"select sum(d_next_o_id) from district\" -flatlist ]\n\
             for {{ set it 0 }} {{ $it < 20 }} {{ incr it }} {{\n\
             {name}exec $handle \"set @next_o_id = 0\"\n\
             catch {{ {name}exec $handle \"CALL NEWORD(1,1,[ RandomNumber 1 10 ],[ RandomNumber 1 3000 ],5,@disc,@last,@credit,@dtax,@wtax,@next_o_id,[ gettimestamp ])\" }} text\n\
             set row [ lindex [ {name}::sel $handle \"select @disc, @last, @credit, @dtax, @wtax, @next_o_id\" -list ] 0 ]\n\
             }}\n\
             set after [ {name}::sel $handle \"select sum(d_next_o_id) from district\" -flatlist ]\n\
             puts \"WAREHOUSES $w ORDERS [ expr {{ $after > $before }} ] VALUES [ llength $row ]\"\n\
             set failed [ catch {{ {name}exec $handle \"select nosuch\" }} text ]\n\
             puts \"FAILED $failed [ string match *nosuch* $text ]\"\n{name}close $handle\n"
        );
        folder.write("driver.tcl", &text);
        let done =
            script(&folder, "customscript driver.tcl\nvuset vu 1\nvurun\nvudestroy\n").exits(0);
        in_order(&done, &["Vuser 1:WAREHOUSES 1 ORDERS 1 VALUES 6", "Vuser 1:FAILED 1 1"]);
    }
}
