//! HammerDB scripts on MariaDB and, if it is installed, on MySQL.

use crate::hammerdb::{console, forget_settings, in_order, jobid, place, result, script};
use tacho_testkit::servers::{MariaDb, MySql, Options};
use tacho_tests::Folder;

/// Copies the scripts. If `sql` is true, the scripts use single statements instead of routines.
fn placed(folder: &Folder, (port, password): (u16, &str), scripts: &[&str], sql: bool) {
    let port = port.to_string();
    let values = [
        ("PORT", port.as_str()),
        ("SOCKET", "/tmp/no/mariadb.sock"),
        ("USER", "tacho"),
        ("PASSWORD", password),
        ("SQL", if sql { "true" } else { "false" }),
    ];
    for script in scripts {
        place(folder, &format!("maria/{script}"), &values);
    }
}

#[test]
fn scripts_are_run_as_they_are() {
    let (folder, server) = (Folder::new(), MariaDb::start().expect("a server"));
    let login = (server.port(), server.password());
    let scripts = ["tprocc_build.tcl", "tprocc_run.tcl", "tprocc_loop.tcl", "tprocc_delete.py"];
    placed(&folder, login, &scripts, false);
    let built = console(&folder, "auto tprocc_build.tcl").exits(0);
    in_order(
        &built,
        &[
            "Ready to create a 1 Warehouse MariaDB TPROC-C schema",
            "Vuser 1:CREATING DATABASE tpcc",
            "Vuser 1:TPCC SCHEMA COMPLETE",
            "SCHEMA BUILD COMPLETED",
            "Vuser 1:Check procedures",
            "Vuser 1:tpcc TPROC-C Schema has been checked successfully.",
        ],
    );
    // The first script calls stored procedures. The second script has a setting that makes it send single statements
    // instead.
    let record = measured(&folder);
    assert_eq!(record["plan"]["form"], "procedures");
    placed(&folder, login, &["tprocc_run.tcl"], true);
    let record = measured(&folder);
    assert_eq!(record["plan"]["form"], "sql");
    let sequence = console(&folder, "auto tprocc_loop.tcl").exits(0);
    in_order(
        &sequence,
        &[
            "SEQUENCE STARTED",
            "1 VU TEST",
            "vudestroy success",
            "2 VU TEST",
            "TEST SEQUENCE COMPLETE",
        ],
    );
    assert_eq!(sequence.out.matches("TEST RESULT").count(), 2, "{}", sequence.out);
    as_mysql(&folder, login);
    values_of_a_test(&folder, login);
    let deleted = console(&folder, "py auto tprocc_delete.py").exits(0);
    deleted.says(&["tpcc TPROC-C Schema has been deleted successfully.", "DROP SCHEMA COMPLETED"]);
}

/// Runs a HammerDB script with the driver `test`, which prints the values that a routine returns in session variables.
fn values_of_a_test(folder: &Folder, (port, password): (u16, &str)) {
    let text = format!(
        "dbset db maria\ndiset connection maria_host 127.0.0.1\ndiset connection maria_port {port}\n\
         diset connection maria_socket null\ndiset tpcc maria_user tacho\ndiset tpcc maria_pass {password}\n\
         diset tpcc maria_driver test\ndiset tpcc maria_total_iterations 20\nvurun\n"
    );
    forget_settings(folder);
    let done = script(folder, &text).exits(0);
    let lines: Vec<&str> = done.out.lines().collect();
    let after = |kind: &str| {
        let at = lines.iter().position(|line| *line == format!("Vuser 1:{kind}"));
        lines[at.unwrap_or_else(|| panic!("no {kind}: {}", done.out)) + 1]
    };
    assert_eq!(after("new order").split(' ').count(), 1 + 6, "{}", after("new order"));
    assert!(after("payment").split(' ').count() > 26, "{}", after("payment"));
}

/// The client for MySQL can also connect to MariaDB, so the scripts for MySQL run on MariaDB too.
fn as_mysql(folder: &Folder, (port, password): (u16, &str)) {
    let text = format!(
        "dbset db mysql\ndiset connection mysql_host 127.0.0.1\ndiset connection mysql_port {port}\n\
         diset connection mysql_socket null\ndiset tpcc mysql_user tacho\ndiset tpcc mysql_pass {password}\n\
         diset tpcc mysql_rampup 0\ndiset tpcc mysql_duration 2\ncheckschema\nvurun\n"
    );
    let done = script(folder, &text).exits(0);
    done.says(&["Vuser 1:tpcc TPROC-C Schema has been checked successfully.", "DBVersion:1"]);
    let (nopm, tpm) = result(&done, "MySQL");
    assert!(nopm > 0 && tpm > nopm, "{nopm} {tpm}");
}

fn measured(folder: &Folder) -> serde_json::Value {
    let done = console(folder, "auto tprocc_run.tcl").exits(0);
    in_order(
        &done,
        &[
            "TEST STARTED",
            "Transaction Counter Started",
            "Vuser 1:Beginning rampup time of 1 minutes",
            "Vuser 1:Rampup complete, Taking start Transaction Count.",
            "Vuser 1:Timing test period of 2 in minutes",
            "Vuser 1:2 ...,",
            "ALL VIRTUAL USERS COMPLETE",
            "TEST COMPLETE",
        ],
    );
    done.says(&[
        "DBVersion:1",
        " MariaDB tpm\n",
        "Vuser 1:Starting purge: history list length ",
        "Vuser 1:Purge ",
        "Vuser 1:Starting write back: dirty buffer pages ",
        "Vuser 1:Write back ",
    ]);
    let record = folder.record(&jobid(&done, "Benchmark Run"));
    let figure = |name: &str| record["result"][name]["per_minute"].as_f64().expect(name).round();
    let (nopm, tpm) = result(&done, "MariaDB");
    assert_eq!((nopm as f64, tpm as f64), (figure("headline"), figure("tpm")));
    assert_eq!(record["plan"]["profile"], "hammerdb");
    record
}

/// The scripts for MySQL and for MariaDB differ only in the prefix of their keys.
#[test]
fn scripts_for_mysql_are_run_as_they_are() {
    let Some(server) = MySql::start_if_there(Options::default()).expect("a server or none") else {
        return;
    };
    let folder = Folder::new();
    let login = (server.port(), server.password());
    placed(&folder, login, &["tprocc_build.tcl", "tprocc_run.tcl"], true);
    for name in ["tprocc_build.tcl", "tprocc_run.tcl"] {
        let text = String::from_utf8(folder.read(name)).expect("text");
        let text = text.replace("maria_purge", "mysql_prepared");
        folder.write(
            name,
            &text.replace("dbset db maria", "dbset db mysql").replace(" maria_", " mysql_"),
        );
    }
    let built = console(&folder, "auto tprocc_build.tcl").exits(0);
    built.says(&[
        "Ready to create a 1 Warehouse MySQL TPROC-C schema",
        "Vuser 1:TPCC SCHEMA COMPLETE",
    ]);
    let run = console(&folder, "auto tprocc_run.tcl").exits(0);
    let (nopm, tpm) = result(&run, "MySQL");
    assert!(nopm > 0 && tpm > nopm, "{nopm} {tpm}");
}
