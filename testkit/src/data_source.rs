//! Targets for data sources that use the system's ODBC drivers.

use std::path::{Path, PathBuf};

use crate::servers::{MariaDb, Postgres};

/// Folders where Linux distributions install ODBC drivers.
const FOLDERS: [&str; 3] =
    ["/usr/lib/x86_64-linux-gnu/odbc", "/usr/lib/aarch64-linux-gnu/odbc", "/usr/lib64/odbc"];

/// Returns the path of an ODBC driver.
///
/// # Panics
/// Panics if the driver is not installed.
pub fn library(file: &str) -> PathBuf {
    let paths = FOLDERS.map(|folder| Path::new(folder).join(file));
    let found = paths.into_iter().find(|path| path.exists());
    found.unwrap_or_else(|| panic!("the ODBC driver {file} is not installed"))
}

/// Returns a target for an SQLite file, using a driver that waits for locks.
pub fn sqlite(file: &Path) -> String {
    let library = library("libsqlite3odbc.so");
    format!("odbc:Driver={};Database={};Timeout=10000", library.display(), file.display())
}

/// Returns a target for a database on a PostgreSQL server.
pub fn postgres(server: &Postgres, database: &str) -> String {
    let (folder, port) = (server.folder().display(), server.port());
    let library = library("psqlodbcw.so");
    let library = library.display();
    format!(
        "odbc:Driver={library};Servername={folder};Port={port};Database={database}?user=postgres"
    )
}

/// Returns a target for a database on a MariaDB server, without the password.
pub fn mariadb(server: &MariaDb, database: &str) -> String {
    let (library, port) = (library("libmaodbc.so"), server.port());
    let library = library.display();
    format!("odbc:Driver={library};Server=127.0.0.1;Port={port};Database={database}?user=tacho")
}
