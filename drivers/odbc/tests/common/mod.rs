//! What the tests share: data sources of three databases, by the drivers of the system.

#![allow(dead_code, reason = "no test program uses everything")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tacho_driver::{Driver, Target};
use tacho_testkit::servers::{MariaDb, Postgres};
use tempfile::TempDir;

/// Where Debian has ODBC drivers.
const FOLDERS: [&str; 3] =
    ["/usr/lib/x86_64-linux-gnu/odbc", "/usr/lib/aarch64-linux-gnu/odbc", "/usr/lib64/odbc"];

/// The library of a driver.
///
/// # Panics
/// If it is not installed.
pub fn library(file: &str) -> PathBuf {
    let paths = FOLDERS.map(|folder| Path::new(folder).join(file));
    let found = paths.into_iter().find(|path| path.exists());
    found.unwrap_or_else(|| panic!("the ODBC driver {file} is not installed"))
}

/// The driver of a data source, in the dialect that it says it has.
pub fn driver(place: &str) -> Arc<dyn Driver> {
    let known = [
        tacho_driver_sqlite::driver().into(),
        tacho_driver_postgres::driver().into(),
        tacho_driver_mysql::driver().into(),
    ];
    let target = Target::parse(place).expect("a target");
    tacho_driver_odbc::over(&target, &known).expect("a data source")
}

/// A new SQLite file.
pub fn sqlite() -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("suite.db");
    let library = library("libsqlite3odbc.so");
    let place = format!("odbc:Driver={};Database={}", library.display(), file.display());
    (folder, place)
}

/// A new database of a PostgreSQL server.
pub fn postgres(name: &str) -> String {
    let server = Postgres::shared();
    server.client(&format!("CREATE DATABASE {name}")).expect("a database");
    let library = library("psqlodbcw.so");
    let (library, folder, port) = (library.display(), server.folder().display(), server.port());
    format!("odbc:Driver={library};Servername={folder};Port={port};Database={name}?user=postgres")
}

/// A new database of a MariaDB server.
pub fn mariadb(name: &str) -> String {
    let server = MariaDb::shared();
    server.client(&format!("CREATE DATABASE {name} CHARACTER SET utf8mb4")).expect("a database");
    let library = library("libmaodbc.so");
    let (library, port, password) = (library.display(), server.port(), server.password());
    format!(
        "odbc:Driver={library};Server=127.0.0.1;Port={port};Database={name}?user=tacho&password={password}"
    )
}
