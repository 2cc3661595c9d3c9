//! Tests on further databases that objects of the user are protected.

use crate::live::sql;
use crate::ownership::{
    MARKED, OTHER_MARKS, QUIET, a_replaced_table_is_not_written, a_table_of_marks_is_kept,
    a_view_stops_the_build, began, family_keeps_what_is_not_ours, names_in_other_case_are_others,
    tables,
};
use tacho_testkit::library;
use tacho_testkit::servers::{MariaDb, MySql, Options, TestServer};
use tacho_tests::Folder;

#[test]
fn mariadb_keeps_tables_with_names_of_ours() {
    let (server, folder) = (MariaDb::start().expect("a MariaDB server"), Folder::new());
    let target = server.target();
    let query = "SELECT table_name FROM information_schema.tables \
                 WHERE table_schema = 'tacho' AND table_type = 'BASE TABLE' ORDER BY 1";
    let found = || tables(&server, query);
    a_view_stops_the_build(&target, &folder, &found);
    a_table_of_marks_is_kept(&target, &folder, &OTHER_MARKS, "tacho_commits");
    a_replaced_table_is_not_written(&target, &folder);
    names_in_other_case_are_others(&target, &folder, '`', &found);
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    sql(&target, "CREATE SEQUENCE tacho_commits");
    let run = format!("run tpcb '{target}' {MARKED} {QUIET}");
    folder.tacho(&run).exits(3).complains(&["sequence tacho_commits"]);
    sql(&target, "DROP SEQUENCE tacho_commits");
    // Maintenance may rebuild a table. Tacho must still recognize it as its own.
    sql(&target, "ALTER TABLE pgbench_accounts FORCE");
    began(folder.tacho(&run));
}

/// This server converts table names to lower case. If a user's table has the name of one of Tacho's tables in upper
/// case, Tacho must not mistake it for its own.
#[test]
fn mariadb_keeps_tables_with_names_of_ours_in_any_case() {
    let settings = &[("lower-case-table-names", "1")];
    let options = Options { settings, ..Options::default() };
    let server: MariaDb = TestServer::start_with(options).expect("a MariaDB server");
    let (folder, target) = (Folder::new(), server.target());
    let upper = OTHER_MARKS.map(|statement| statement.replace("tacho_commits", "TACHO_COMMITS"));
    let upper = upper.each_ref().map(String::as_str);
    a_table_of_marks_is_kept(&target, &folder, &upper, "tacho_commits");
}

#[test]
fn duckdb_keeps_what_is_not_ours() {
    let Some(library) = library::duckdb() else { return };
    let folder = Folder::new();
    let (file, library) = (folder.file("x.db"), library.display().to_string());
    let target = format!("duckdb:{}?library={library}", file.display());
    folder.tacho(&format!("prepare tpcb '{target}' {QUIET}")).exits(0);
    let clean = || folder.tacho(&format!("clean tpcb '{target}' --yes {QUIET}"));
    sql(&target, "CREATE VIEW own_view AS SELECT count(*) AS n FROM pgbench_branches");
    clean().exits(3).complains(&["nothing was removed", "own_view", "pgbench_branches"]);
    sql(&target, "DROP VIEW own_view; DROP TABLE pgbench_tellers");
    sql(&target, "CREATE TABLE pgbench_tellers (own INT)");
    clean().exits(3).complains(&["table pgbench_tellers is not the one"]);
    sql(&target, "DROP TABLE pgbench_tellers");
    clean().exits(0);
}

#[test]
fn mysql_keeps_what_is_not_ours() {
    let server = MySql::start_if_there(Options::default()).expect("a MySQL server or none");
    server.iter().for_each(family_keeps_what_is_not_ours);
}

#[test]
fn mariadb_keeps_what_is_not_ours() {
    family_keeps_what_is_not_ours(&MariaDb::start().expect("a MariaDB server"));
}
