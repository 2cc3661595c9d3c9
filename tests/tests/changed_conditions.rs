//! If settings, tables or indexes change during a run, this must be reported, even if the change is undone before the
//! end.

use serde_json::Value;
use tacho_testkit::servers::{MariaDb, MySql, Options, Postgres};
use tacho_tests::{Data, Folder, Running, Signal};

use crate::live::{LONG, at, measuring, notices};

const QUIET: &str = "--progress none -o quiet";

/// Loads `tpcb` data into the target. Returns a folder, and the start of a `run` command line that uses the data.
fn prepared(target: &str) -> (Folder, String) {
    let folder = Folder::new();
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    (folder, format!("run tpcb '{target}' -c 2 --check none {LONG}"))
}

/// Stops the run and returns its result.
fn ended(folder: &Folder, mut run: Running) -> Value {
    run.until_event(|event| event["event"] == "interval");
    run.signal(Signal::INT);
    run.wait().expect_code(130);
    folder.record("latest")["result"].clone()
}

/// Fails unless the result contains this notice with all of these strings.
#[track_caller]
fn expect(result: &Value, id: &str, texts: &[&str]) {
    let all = result["notices"].as_array().expect("notices");
    let found = all.iter().find(|notice| notice["id"] == id);
    let text = found.unwrap_or_else(|| panic!("no {id} in {all:?}"))["text"].to_string();
    for wanted in texts {
        assert!(text.contains(wanted), "no {wanted:?} in {text}");
    }
    assert_eq!(result["valid"], false);
}

/// Fails if the result contains a notice about a change.
#[track_caller]
fn expect_none(result: &Value) {
    let found = notices(result);
    assert!(!["V09", "V32", "W18"].iter().any(|id| found.contains(id)), "{}", result["notices"]);
}

#[test]
fn settings_of_postgres_that_changed_are_found_on_a_new_connection() {
    let server = Postgres::start().expect("a server");
    server.client("CREATE ROLE app LOGIN SUPERUSER").expect("a role");
    let target = at(&server, "changed").replace("//postgres@", "//app@");
    let (folder, line) = prepared(&target);
    let during = |statements: &[&str]| {
        let run = measuring(folder.tacho(&line));
        for statement in statements {
            server.client_on("changed", statement).expect("a statement");
        }
        ended(&folder, run)
    };
    expect_none(&during(&["SELECT 1"]));

    // Tacho must notice a change even though its own connection, which was opened earlier, keeps the old value.
    let role = |value: &str| format!("ALTER ROLE app SET synchronous_commit = {value}");
    expect(&during(&[&role("off")]), "V09", &["synchronous_commit changed to off"]);
    expect(
        &during(&[&role("on"), &role("off")]),
        "V09",
        &["a role or database setting", "previous value again"],
    );

    // Turn the setting on and then restore the test server's value.
    let (on, back) = ("ALTER SYSTEM SET fsync = on", "ALTER SYSTEM RESET fsync");
    let reload = "SELECT pg_reload_conf()";
    let result = during(&[on, reload, back, reload]);
    expect(&result, "V09", &["the server's configuration", "previous value again"]);
    expect_none(&during(&["SELECT 1"]));
}

#[test]
fn changed_tables_of_postgres_are_named() {
    let server = Postgres::shared();
    server.database("restructured").expect("a database");
    let target = at(server, "restructured");
    let (folder, line) = prepared(&target);
    let sql = |statement: &str| server.client_on("restructured", statement).expect(statement);
    sql("CREATE INDEX own ON pgbench_history (tid)");
    sql("CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'");
    let during = |statements: &[&str]| {
        let run = measuring(folder.tacho(&line));
        for statement in statements {
            drop(sql(statement));
        }
        ended(&folder, run)
    };
    let again = ["DROP INDEX own", "CREATE INDEX own ON pgbench_history (tid)"];
    expect(
        &during(&again),
        "V32",
        &["index own of table pgbench_history was dropped and created again"],
    );
    expect(&during(&again[..1]), "V32", &["index own of table pgbench_history was dropped"]);
    let trigger = "CREATE TRIGGER slow AFTER INSERT ON pgbench_history FOR EACH ROW EXECUTE FUNCTION nothing()";
    expect(&during(&[trigger]), "V32", &["trigger slow of table pgbench_history was added"]);
    let off = "ALTER TABLE pgbench_history DISABLE TRIGGER slow";
    expect(&during(&[off]), "V32", &["trigger slow of table pgbench_history was changed"]);
    let rest = during(&[
        "CREATE TABLE others (x int)",
        "ALTER TABLE pgbench_tellers ADD CONSTRAINT own CHECK (tid > 0)",
        "ALTER TABLE pgbench_tellers SET (fillfactor = 50)",
    ]);
    let found =
        ["constraint own of table pgbench_tellers was added", "table pgbench_tellers was changed"];
    expect(&rest, "V32", &found);
    assert!(!rest["notices"].to_string().contains("others"), "{rest}");
    let data = &folder.record("latest")["data"];
    let before = &folder.record("latest~1")["data"];
    assert!(data["structure"].is_string() && data["structure"] != before["structure"], "{data}");
    crate::live::drop_database(server, "restructured");
}

#[test]
fn settings_and_engines_of_mariadb_that_changed_are_found() {
    let server = MariaDb::start().expect("a server");
    let target = at(&server, "changed");
    let (folder, line) = prepared(&target);
    let during = |statements: &[&str]| {
        let run = measuring(folder.tacho(&line));
        for statement in statements {
            server.client(statement).expect(statement);
        }
        ended(&folder, run)
    };
    expect_none(&during(&["SELECT 1"]));
    // This statement changes the setting only for new sessions.
    let result = during(&["SET GLOBAL innodb_lock_wait_timeout = 7"]);
    expect(&result, "V09", &["innodb_lock_wait_timeout changed to 7"]);
    let changed_back =
        ["SET GLOBAL innodb_io_capacity = 300", "SET GLOBAL innodb_io_capacity = DEFAULT"];
    let result = during(&changed_back);
    expect(&result, "V09", &["innodb_io_capacity was set or reloaded", "previous value again"]);
    let result = during(&["CREATE INDEX own ON changed.pgbench_history (tid)"]);
    expect(&result, "V32", &["index own of table pgbench_history was added"]);

    let trigger = "CREATE TRIGGER changed.own BEFORE INSERT ON changed.pgbench_history \
                   FOR EACH ROW SET NEW.tid = NEW.tid";
    let result = during(&[trigger]);
    expect(&result, "V32", &["trigger own of table pgbench_history was added"]);

    let result = during(&["ALTER TABLE changed.pgbench_history ENGINE = Aria"]);
    expect(&result, "V32", &["table pgbench_history was changed"]);
    expect(&result, "V09", &["tables of Aria changed to 1"]);
    server.client("ALTER TABLE changed.pgbench_tellers ENGINE = MyISAM").expect("MyISAM");
    let found = folder.tacho(&format!("doctor '{target}'")).done();
    found.says(&["tables of Aria=1: a crash can lose", "tables of MyISAM=1: a crash can lose"]);
    assert!(
        !found.out.contains("no settings found that could cause commits to be lost"),
        "{}",
        found.out
    );
    expect_none(&during(&["SELECT 1"]));
    let risks = folder.record("latest")["server"]["durability_risks"].to_string();
    assert!(risks.contains("tables of MyISAM=1") && risks.contains("tables of Aria=1"), "{risks}");
}

#[test]
fn settings_of_mysql_that_were_changed_back_are_found() {
    let server = MySql::start_if_there(Options::default()).expect("a server or none");
    let Some(server) = server else { return };
    let (folder, line) = prepared(&at(&server, "changed"));
    let during = |statements: &[&str]| {
        let run = measuring(folder.tacho(&line));
        for statement in statements {
            server.client(statement).expect(statement);
        }
        ended(&folder, run)
    };
    expect_none(&during(&["SET SESSION sort_buffer_size = 100000"]));
    let changed_back =
        ["SET GLOBAL innodb_io_capacity = 300", "SET GLOBAL innodb_io_capacity = DEFAULT"];
    for _ in 0..2 {
        let result = during(&changed_back);
        expect(&result, "V09", &["innodb_io_capacity was set or reloaded"]);
    }
    let result = during(&["CREATE INDEX own ON changed.pgbench_history (tid)"]);
    expect(&result, "V32", &["index own of table pgbench_history was added"]);
    let result = during(&["ALTER TABLE changed.pgbench_history ALTER INDEX own INVISIBLE"]);
    expect(&result, "V32", &["index own of table pgbench_history was changed"]);
    let result = during(&["ALTER INSTANCE DISABLE INNODB REDO_LOG"]);
    expect(&result, "V09", &["Innodb_redo_log_enabled changed to OFF"]);
}

#[test]
fn changed_tables_of_a_file_are_named() {
    let (folder, line) = prepared("sqlite:a.db");
    let during = |statement: &str| {
        let run = measuring(folder.tacho(&line));
        // Use a long lock timeout, because the sessions of the run leave other writers little time.
        let patient = format!("PRAGMA busy_timeout = 60000; {statement}");
        Data::open(&folder.file("a.db")).run(&patient);
        ended(&folder, run)
    };
    let result = during("CREATE INDEX own ON pgbench_history (tid)");
    expect(&result, "V32", &["index own of table pgbench_history was added"]);
    let result = during("DROP INDEX own");
    expect(&result, "V32", &["index own of table pgbench_history was dropped"]);
    let trigger = "CREATE TRIGGER own AFTER INSERT ON pgbench_history BEGIN SELECT 1; END";
    expect(&during(trigger), "V32", &["trigger own of table pgbench_history was added"]);
    expect_none(&during("CREATE TABLE others (x)"));
    let result = during("ALTER TABLE pgbench_tellers ADD COLUMN own INT");
    expect(&result, "V32", &["column own of table pgbench_tellers was added"]);
}
