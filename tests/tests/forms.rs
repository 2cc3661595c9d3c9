//! Tests statements that are sent as text. No statement may be prepared, and all checks must pass. A sweep must be able
//! to compare text with prepared statements.

use tacho_testkit::servers::{Kind, MariaDb, Postgres, TestServer};
use tacho_tests::Folder;

/// Makes a run with statements sent as text. Its commits and all checks must be correct, and its record must name the
/// form.
fn runs_as_text<K: Kind>(server: &TestServer<K>) {
    let folder = Folder::new();
    let place = format!("tpcb '{}'", server.target());
    folder.tacho(&format!("prepare {place} -s 1")).exits(0);
    let run = format!("run {place} --form simple -c 2 --transactions 300 --ramp-up 0s -o json");
    let run = folder.tacho(&run).done().json();
    assert_eq!(run["plan"]["form"], "simple");
    let checks = run["result"]["checks"].as_array().expect("checks");
    assert_eq!(checks.iter().filter(|check| check["verdict"] == "holds").count(), 8, "{checks:?}");
    assert_eq!(run["result"]["transactions"][0]["count"], 300, "{}", run["result"]);
    folder.tacho(&format!("check {place}")).exits(0).says(&["7 of 7 hold"]);
}

#[test]
fn postgresql_takes_statements_as_text() {
    let server = Postgres::start().expect("a PostgreSQL server");
    runs_as_text(&server);
    let folder = Folder::new();
    let vary = "--vary form=simple,sql,pipelined --transactions 300 --ramp-up 0s";
    let sweep = format!("sweep tpcb '{}' {vary}", server.target());
    folder.tacho(&sweep).done().says(&["simple", "sql", "pipelined", "3 runs"]);
}

#[test]
fn mariadb_takes_statements_as_text() {
    runs_as_text(&MariaDb::start().expect("a MariaDB server"));
}

#[test]
fn sqlite_parses_each_statement_anew() {
    let folder = Folder::new();
    folder.tacho("prepare tpcb sqlite:a.db -s 1").exits(0);
    let run = "run tpcb sqlite:a.db --form simple --transactions 300 --ramp-up 0s";
    folder.tacho(run).done().says(&["7 of 7 after the run"]);
    folder.tacho("describe tpcb").exits(0).says(&["`simple`", "--protocol=simple"]);
}

#[test]
fn what_sends_no_text_refuses_the_form() {
    let done = Folder::new().tacho("run tpcb noop --form simple -d 1s").exits(2);
    done.is_error().complains(&[
        "form is simple",
        "cannot accept statements as text",
        "--form sql",
    ]);
}
