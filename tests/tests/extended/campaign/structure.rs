//! Tests with indexes, triggers, columns and server settings that change during a run. Tacho must notice each change,
//! and must not report any other change.

use std::collections::BTreeSet;

use serde_json::Value;
use tacho_testkit::servers::{Options, Postgres};
use tacho_tests::{Data, Running, Signal};

use super::trial::Trial;
use crate::acknowledged::TPCB;
use crate::live::{LONG, at, measuring, notices, server_with, texts};

const QUIET: &str = "--progress none -o quiet";
const TABLES: [(&str, &str); 4] = [
    ("pgbench_history", "tid"),
    ("pgbench_tellers", "tbalance"),
    ("pgbench_branches", "bbalance"),
    ("pgbench_accounts", "abalance"),
];

pub fn perform(trial: &mut Trial) {
    match trial.below(5) {
        0 | 1 => tables_of_file(trial),
        2 => tables_of_server(trial),
        _ => settings(trial),
    }
}

/// Stops a run and returns its result.
fn ended(trial: &Trial, mut run: Running) -> Value {
    run.until_event(|event| event["event"] == "interval");
    run.signal(Signal::INT);
    run.wait().expect_code(130);
    trial.folder.record("latest")["result"].clone()
}

/// Checks the notices about changes in the result. If a notice is expected, it must be the only one, and otherwise
/// there must be none.
#[track_caller]
fn expect(result: &Value, expected: Option<&str>) {
    let found = notices(result);
    let changes: BTreeSet<&str> =
        found.into_iter().filter(|id| ["V09", "V32"].contains(id)).collect();
    assert_eq!(changes, expected.into_iter().collect(), "{}", result["notices"]);
    assert!(expected.is_none() || result["valid"] == false);
}

/// Returns the fingerprint of the workload's tables, and fails unless it changed together with the tables.
fn expect_fingerprint(trial: &Trial, is_changed: bool) {
    let of = |run: &str| trial.folder.record(run)["data"]["structure"].clone();
    let (before, after) = (of("latest~1"), of("latest"));
    assert!(before.is_string() && after.is_string(), "{before} {after}");
    assert_eq!(before != after, is_changed, "{before} {after}");
}

/// Performs two runs. The change happens during the first run, so the second run starts with the changed tables.
fn around(trial: &Trial, line: &str, change: &dyn Fn(), expected: Option<&str>) {
    let run = measuring(trial.folder.tacho(line));
    change();
    expect(&ended(trial, run), expected);
    expect(&ended(trial, measuring(trial.folder.tacho(line))), None);
    expect_fingerprint(trial, expected == Some("V32"));
}

/// A run on tables with another column is rejected, because Tacho may not have created them.
fn expect_rejection(trial: &Trial, line: &str) {
    trial.folder.tacho(line).exits(3).is_error().complains(&["the tables have changed"]);
}

fn tables_of_file(trial: &mut Trial) {
    trial.folder.tacho(&format!("prepare tpcb sqlite:a.db {QUIET}")).exits(0);
    let file = trial.folder.file("a.db");
    let (table, column) = *trial.pick(&TABLES);
    Data::open(&file).run(&format!("CREATE INDEX own ON {table} ({column})"));
    let trigger = format!("CREATE TRIGGER own_t AFTER INSERT ON {table} BEGIN SELECT 1; END");
    let (statement, expected) = match trial.below(7) {
        0 => (format!("CREATE INDEX other ON {table} ({column})"), Some("V32")),
        1 => ("DROP INDEX own".to_owned(), Some("V32")),
        2 => (trigger, Some("V32")),
        3 => (format!("ALTER TABLE {table} ADD COLUMN own INT"), Some("V32")),
        4 => ("CREATE TABLE others (x INT); CREATE INDEX i ON others (x)".to_owned(), None),
        5 => ("CREATE VIEW own_view AS SELECT 1 AS x".to_owned(), None),
        _ => ("SELECT 1".to_owned(), None),
    };
    trial.note(format!("SQLite: {statement}"));
    // Use a long lock timeout, because the run's sessions leave little time for another writer.
    let change = || Data::open(&file).run(&format!("PRAGMA busy_timeout = 60000; {statement}"));
    let line = format!("run tpcb sqlite:a.db -c 2 --check none {LONG}");
    if statement.contains("ADD COLUMN") {
        let run = measuring(trial.folder.tacho(&line));
        change();
        expect(&ended(trial, run), expected);
        return expect_rejection(trial, &line);
    }
    around(trial, &line, &change, expected);
}

fn tables_of_server(trial: &mut Trial) {
    let server: Postgres = server_with(TPCB, Options::default());
    let target = at(&server, "data");
    let sql = |statement: &str| drop(server.client_on("data", statement).expect(statement));
    let (table, column) = *trial.pick(&TABLES);
    sql(&format!("CREATE INDEX own ON {table} ({column})"));
    sql("CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'");
    let trigger = |name: &str| {
        format!(
            "CREATE TRIGGER {name} AFTER INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION nothing()"
        )
    };
    sql(&trigger("quick"));
    let create = format!("CREATE INDEX own ON {table} ({column})");
    let (statements, expected) = match trial.below(9) {
        0 => (vec!["DROP INDEX own".to_owned()], Some("V32")),
        1 => (vec!["DROP INDEX own".to_owned(), create], Some("V32")),
        2 => (vec![trigger("slow")], Some("V32")),
        3 => (vec![format!("ALTER TABLE {table} DISABLE TRIGGER quick")], Some("V32")),
        4 => (
            vec![format!("ALTER TABLE {table} ADD CONSTRAINT own CHECK ({column} > -9999999)")],
            Some("V32"),
        ),
        5 => (vec![format!("ALTER TABLE {table} SET (fillfactor = 50)")], Some("V32")),
        6 => (vec![format!("ALTER TABLE {table} ADD COLUMN own INT")], Some("V32")),
        7 => (vec!["CREATE TABLE others (x INT)".to_owned()], None),
        _ => (vec![format!("ANALYZE {table}")], None),
    };
    trial.note(format!("PostgreSQL: {}", statements.join("; ")));
    let change = || statements.iter().for_each(|statement| sql(statement));
    let line = format!("run tpcb '{target}' -c 2 --check none {LONG}");
    let run = measuring(trial.folder.tacho(&line));
    change();
    expect(&ended(trial, run), expected);
    if statements[0].contains("ADD COLUMN") {
        return expect_rejection(trial, &line);
    }
    expect(&ended(trial, measuring(trial.folder.tacho(&line))), None);
}

/// Returns a random setting and a different value for it. Chooses only from settings that the record contains and that
/// a client can change.
fn draw_setting(trial: &mut Trial, target: &str) -> (String, String) {
    let recorded = trial.folder.record("latest")["server"]["settings"].clone();
    let recorded = recorded.as_object().expect("settings");
    let of_type = |kind: &str| {
        let query = format!(
            "SELECT name FROM pg_settings WHERE context IN ('sighup', 'superuser', 'user') AND vartype = '{kind}' AND \
             CASE vartype WHEN 'integer' THEN setting::bigint < max_val::numeric ELSE true END ORDER BY 1"
        );
        let mut names = texts(target, &query);
        names.retain(|name| recorded.contains_key(name));
        assert!(!names.is_empty(), "no recorded setting of type {kind}: {recorded:?}");
        names
    };
    let is_switch = trial.chance(50);
    let name = trial.pick(&of_type(if is_switch { "bool" } else { "integer" })).clone();
    let query = format!("SELECT setting FROM pg_settings WHERE name = '{name}'");
    let old = texts(target, &query).concat().trim().to_owned();
    let new = match &*old {
        "on" => "off".to_owned(),
        "off" => "on".to_owned(),
        number => (number.parse::<i64>().expect("a number") + 1).to_string(),
    };
    (name, new)
}

/// Server settings are changed during a run, and perhaps changed back.
fn settings(trial: &mut Trial) {
    let server: Postgres = server_with(TPCB, Options::default());
    server.client("CREATE ROLE app LOGIN SUPERUSER").expect("a role");
    let target = at(&server, "data").replace("//postgres@", "//app@");
    let line = format!("run tpcb '{target}' -c 2 --check none {LONG}");
    expect(&ended(trial, measuring(trial.folder.tacho(&line))), None);
    let (name, value) = draw_setting(trial, &target);
    let reload = "SELECT pg_reload_conf()".to_owned();
    let system = format!("ALTER SYSTEM SET {name} = {value}");
    let mut statements = match trial.below(3) {
        0 => vec![format!("ALTER ROLE app SET {name} = {value}")],
        1 => vec![format!("ALTER DATABASE data SET {name} = {value}")],
        _ => vec![system.clone(), reload.clone()],
    };
    // If a session cannot change the setting, it cannot be set for a role or a database either. Change it for the whole
    // server instead.
    if server.client(&statements[0]).is_err() {
        statements = vec![system, reload];
        server.client(&statements[0]).expect("a setting");
    }
    let back = if statements.len() > 1 {
        format!("ALTER SYSTEM RESET {name}")
    } else {
        statements[0].replace(&format!("SET {name} = {value}"), &format!("RESET {name}"))
    };
    // The change was only an attempt to find out if the setting can be changed in this way, so undo it.
    server.client(&back).expect("a reset");
    if trial.chance(30) {
        let again = statements.clone();
        statements.push(back);
        statements.extend(again.into_iter().skip(1));
    }
    trial.note(format!("PostgreSQL: {}", statements.join("; ")));
    let run = measuring(trial.folder.tacho(&line));
    for statement in &statements {
        server.client(statement).expect(statement);
    }
    expect(&ended(trial, run), Some("V09"));
    expect(&ended(trial, measuring(trial.folder.tacho(&line))), None);
}
