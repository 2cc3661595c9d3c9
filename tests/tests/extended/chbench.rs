//! The `chbench` workload on additional databases.

use crate::chbench::works;
use tacho_testkit::library;
use tacho_testkit::servers::{MariaDb, MySql, Options};
use tacho_tests::Folder;

#[test]
fn it_works_on_mariadb() {
    let server = MariaDb::start().expect("a MariaDB server");
    works(&format!("'{}&database=chbench'", server.target()));
}

#[test]
fn it_works_on_mysql() {
    let server = MySql::start_if_there(Options::default()).expect("a MySQL server");
    let Some(server) = server else { return };
    works(&format!("'{}&database=chbench'", server.target()));
}

/// If several transactions write the same row, DuckDB rejects all but the first. The rejected ones must be retried.
#[test]
fn it_works_on_duckdb() {
    let Some(library) = library::duckdb() else { return };
    let (target, folder) = (format!("'duckdb:c.db?library={}'", library.display()), Folder::new());
    folder.tacho(&format!("prepare chbench {target}")).exits(0);
    let run = format!("run chbench {target} -c 2 -d 4s --ramp-up 0s --retry same --attempts 50");
    folder.tacho(&run).done().says(&["queries/h in 1 stream", "28 of 28 after the run"]);
    let analytics = &folder.record("latest")["result"]["analytics"];
    assert!(analytics["good"].as_u64() > Some(0) && analytics["failed"] == 0, "{analytics}");
    folder.tacho(&format!("check chbench {target}")).exits(0).says(&["51 of 51 hold"]);
}
