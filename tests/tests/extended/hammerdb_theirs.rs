//! Tests schemas that HammerDB itself has built on MariaDB and MySQL.

use crate::hammerdb_theirs::{by_tcp, queries_by_tcp};
use tacho_testkit::servers::{MariaDb, MySql, Options};

#[test]
fn a_schema_that_hammerdb_built_on_mariadb_is_checked_run_and_deleted() {
    let server = MariaDb::start().expect("a server");
    let client = |text: &str| server.client(text).expect("statements");
    by_tcp("maria", "MariaDB", (server.port(), server.password()), &client);
}

#[test]
fn a_schema_of_queries_that_hammerdb_built_on_mariadb_is_checked_run_and_deleted() {
    let server = MariaDb::start().expect("a server");
    let client = |text: &str| server.client(text).expect("statements");
    queries_by_tcp("maria", (server.port(), server.password()), &client);
}

#[test]
fn a_schema_of_queries_that_hammerdb_built_on_mysql_is_checked_run_and_deleted() {
    let Some(server) = MySql::start_if_there(Options::default()).expect("a server or none") else {
        return;
    };
    let client = |text: &str| server.client(text).expect("statements");
    queries_by_tcp("mysql", (server.port(), server.password()), &client);
}

#[test]
fn a_schema_that_hammerdb_built_on_mysql_is_checked_run_and_deleted() {
    let Some(server) = MySql::start_if_there(Options::default()).expect("a server or none") else {
        return;
    };
    let client = |text: &str| server.client(text).expect("statements");
    by_tcp("mysql", "MySQL", (server.port(), server.password()), &client);
}
