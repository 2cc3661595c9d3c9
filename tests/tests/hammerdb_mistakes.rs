//! PostgreSQL scripts that contain mistakes. Deleting something that does not exist is not an error, and hints suggest
//! only commands that scripts can use.

use crate::hammerdb::{built_on_postgres, in_order, jobid, part, script};
use tacho_testkit::servers::Postgres;
use tacho_tests::{Done, Folder};

fn head(server: &Postgres) -> String {
    format!(
        "dbset db pg\ndiset connection pg_host 127.0.0.1\ndiset connection pg_port {}\n\
         diset tpcc pg_superuserpass {{}}\n",
        server.port()
    )
}

/// Checks that no line mentions Tacho's own commands or options.
#[track_caller]
fn speaks_as_a_script(done: &Done) {
    let lines = done.out.lines().filter(|line| !line.starts_with("Tacho run "));
    for line in lines {
        for word in ["tacho clean", "tacho prepare", "tacho check", "password=", " --"] {
            assert!(!line.contains(word), "{word}: {line}");
        }
    }
}

#[test]
fn a_corrected_script_builds_with_the_correct_options() {
    let (folder, server) = (Folder::new(), Postgres::start().expect("a server"));
    let head = head(&server);
    // `vuset showoutput 0` hides only the values that the test driver prints. Errors are still shown.
    let text = format!(
        "{head}vuset showoutput 0\ndiset tpcc pg_tspace nosuch\nbuildschema\nputs \"== corrected\"\n\
         diset tpcc pg_tspace pg_default\ndiset tpcc pg_storedprocs true\nbuildschema\nputs \"== checked\"\n\
         checkschema"
    );
    let done = script(&folder, &text).exits(3);
    done.says(&["Error in Virtual User 1: ", "tablespace \"nosuch\" does not exist"]);
    let corrected = part(&done, "corrected");
    for line in ["CREATING TPCC STORED PROCEDURES", "TPCC SCHEMA COMPLETE", "FINISHED SUCCESS"] {
        assert!(corrected.contains(&format!("Vuser 1:{line}\n")), "no {line} in {corrected}");
    }
    assert!(part(&done, "checked").contains("has been checked successfully."), "{}", done.out);
    speaks_as_a_script(&done);
    half_built_with_other_options(&folder, &server);
}

/// If a build was interrupted, a script with different options must not complete it. It must not remove the data
/// without confirmation either.
fn half_built_with_other_options(folder: &Folder, server: &Postgres) {
    let sql = "UPDATE tacho_marker SET v = 'building' WHERE k = 'state'";
    server.client_on("tpcc", sql).expect("a marker");
    let head = head(server);
    let text = format!(
        "{head}diset tpcc pg_storedprocs false\ndiset tpcc pg_count_ware 2\nbuildschema\nputs \"== same\"\n\
         diset tpcc pg_count_ware 1\ndiset tpcc pg_storedprocs true\nbuildschema"
    );
    let done = script(folder, &text).exits(3);
    done.says(&[
        "Error in Virtual User 1: the interrupted build of tpcc used different options: ",
        "pg_count_ware was 1 and is now 2",
        "pg_storedprocs was procedures and is now functions",
        "hint: use deleteschema",
    ]);
    let same = part(&done, "same");
    assert!(same.contains("Vuser 1:TPCC SCHEMA COMPLETE\n"), "{same}");
    speaks_as_a_script(&done);
}

#[test]
fn deleting_what_does_not_exist_is_no_failure() {
    let (folder, server) = (Folder::new(), Postgres::start().expect("a server"));
    let head = head(&server);
    // Neither the role nor the database exists. The output must not contain the server's login error.
    let done = script(&folder, &format!("{head}catch {{deleteschema}}\nputs WENT_ON")).exits(0);
    in_order(
        &done,
        &[
            "Vuser 1:Database tpcc does not exist: there is no TPROC-C schema to delete",
            "Vuser 1:FINISHED SUCCESS",
            "WENT_ON",
        ],
    );
    assert!(!done.out.contains("authentication"), "{}", done.out);
    // All other commands that need the schema fail and report the reason.
    let text = format!("{head}diset tpcc pg_rampup 0\ncheckschema\ntcstart\nvurun\nputs WENT_ON");
    let done = script(&folder, &text).exits(3);
    done.says(&[
        "TPROC-C Schema check failed tpcc schema is empty: database tpcc does not exist",
        "Transaction Counter Error: connection failed database tpcc does not exist; hint: \
         use buildschema to create it",
        "Error in Virtual User 2: database tpcc does not exist; hint: use buildschema to create it",
        "WENT_ON",
    ]);
    speaks_as_a_script(&done);
    // A database that contains another client's table instead of a schema.
    server.client("CREATE DATABASE tpcc").expect("a database");
    server.client("CREATE TABLE other (a int)").expect("a table");
    let text = format!("{head}diset tpcc pg_dbase postgres\ncheckschema\nvurun");
    let done = script(&folder, &text).exits(3);
    speaks_as_a_script(&done);
}

#[test]
fn lines_of_the_counter_are_in_no_other_output() {
    let folder = Folder::new();
    let server = built_on_postgres(&folder);
    let head = head(&server);
    let text = format!(
        "{head}diset tpcc pg_rampup 0\ndiset tpcc pg_duration 2\ndiset tpcc pg_timeprofile true\n\
         tcset refreshrate 1\ntcset logtotemp 1\nvuset logtotemp 1\ntcstart\nset r [vurun]\nafter 700\n\
         puts \"== job\"\njobs [lindex [split $r =] 1] result\nputs \"== waits\"\n\
         after 500 {{ set ::done 1 }}\nvwait ::done\nputs \"== end\"\ntcstop\nvudestroy"
    );
    let done = script(&folder, &text).exits(0);
    let id = jobid(&done, "Benchmark Run");
    assert!(part(&done, "job").starts_with(&format!("[\n  \"{id}\",\n")), "{}", done.out);
    assert!(!part(&done, "job").contains(" tpm"), "{}", done.out);
    assert!(part(&done, "waits").contains(" PostgreSQL tpm\n"), "{}", done.out);
    // Each log has a separator line, whose length depends on the kind of log, as in HammerDB.
    for (file, length) in [("hammerdb.log", 44), ("hdbtcount.log", 63), ("hdbxtprofile.log", 75)] {
        let log = String::from_utf8(folder.read(file)).expect("text");
        let ruler = log.lines().nth(1).unwrap_or_default();
        assert!(ruler.len() == length && ruler.starts_with("+-+-+-"), "{file}: {ruler}");
    }
}
