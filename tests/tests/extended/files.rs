//! Tests that load generated files into further databases.

use crate::files::loads_files;
use tacho_testkit::library;
use tacho_testkit::servers::{MariaDb, MySql, Options};

#[test]
fn other_databases_load_files_too() {
    loads_files("tprocc", "1", &MariaDb::start().expect("a server").target(), &["csv", "tbl"]);
    let anywhere = Options { settings: &[("secure-file-priv", "")], ..Options::default() };
    if let Some(server) = MySql::start_if_there(anywhere).expect("a server") {
        loads_files("tproch", "0.01", &server.target(), &["csv", "tbl"]);
    }
    let Some(duckdb) = library::duckdb() else { return };
    let target = format!("duckdb:loaded.db?library={}", duckdb.display());
    loads_files("tprocc", "1", &target, &["csv"]);
}
