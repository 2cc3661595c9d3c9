//! Workloads of users, on the databases that the default tier does not test.

use tacho_testkit::servers::{MariaDb, MySql, Postgres};
use tacho_testkit::{data_source, library, tds};
use tacho_tests::Folder;

use crate::every_database::{TEXTS, bulk, folders, scripts};
use crate::live::{at, sql};

#[test]
fn on_duckdb() {
    let Some(library) = library::duckdb() else { return };
    let folder = Folder::new();
    let target = |name: &str| {
        format!("duckdb:{}?library={}", folder.file(name).display(), library.display())
    };
    folders(&target("folders.db"));
    bulk(&target("bulk.db"), &[]);
    scripts(&target("scripts.db"), false, false);
}

#[test]
fn on_mariadb() {
    let server = MariaDb::shared();
    folders(&at(server, "every_folders"));
    bulk(&at(server, "every_bulk"), &[TEXTS]);
    sql(&server.target(), "CREATE DATABASE every_scripts");
    scripts(&at(server, "every_scripts"), true, false);
}

#[test]
fn on_mysql() {
    let Some(server) = MySql::shared_if_there() else { return };
    folders(&at(server, "every_folders"));
    bulk(&at(server, "every_bulk"), &[TEXTS]);
    sql(&server.target(), "CREATE DATABASE every_scripts");
    scripts(&at(server, "every_scripts"), true, false);
}

/// If a workload folder is run over ODBC, its statements must be those for the database behind the data source.
#[test]
fn on_odbc() {
    let folder = Folder::new();
    bulk(&data_source::sqlite(&folder.file("bulk.db")), &[]);
    let server = Postgres::shared();
    server.database("every_odbc").expect("a database");
    folders(&data_source::postgres(server, "every_odbc"));
}

/// The scripted TDS server checks and runs the SQL Server statements of a workload folder.
#[test]
fn on_the_scripted_sql_server() {
    let server = tds::Server::start();
    let (port, options) = (server.port(), server.options());
    let target = format!(
        "sqlserver://{}:{}@127.0.0.1:{port}/{}?trust_server_certificate=yes",
        options.user, options.password, options.database
    );
    folders(&target);
    bulk(&target, &[]);
}
