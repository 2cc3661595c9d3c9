//! Benchmarks on a private MariaDB server, or on a MySQL server if `TACHO_TEST_MYSQL` names its programs.
//!
//! The client uses one thread and the Unix socket. The benchmarks compare the CPU time of the whole client process.

#![expect(clippy::print_stdout, reason = "the results are the output")]

pub(crate) mod calls;
pub(crate) mod forms;
pub(crate) mod load;

use std::path::PathBuf;

use tacho_core::Result;
use tacho_testkit::servers::{MariaDb, MySql, Options};

const MYSQL: &str = "MySQL";
/// Server settings that suffice for ten warehouses, 64 client sessions and a few administrative ones.
const SETTINGS: [(&str, &str); 4] = [
    ("innodb-buffer-pool-size", "2G"),
    ("innodb-log-file-size", "2G"),
    ("max-connections", "100"),
    ("secure-file-priv", ""),
];

/// MySQL's default binary log, which waits for the disk at every commit. It is on only if commits must be as safe as
/// with MySQL's default settings.
const INSTALLED: [(&str, &str); 2] = [("log-bin", "binlog"), ("sync-binlog", "1")];

/// A server of either product.
pub(crate) enum Server {
    MariaDb(MariaDb),
    MySql(MySql),
}

impl Server {
    pub(crate) fn target(&self) -> String {
        match self {
            Self::MariaDb(server) => server.target(),
            Self::MySql(server) => server.target(),
        }
    }

    fn folder(&self) -> PathBuf {
        match self {
            Self::MariaDb(server) => server.folder(),
            Self::MySql(server) => server.folder(),
        }
        .to_owned()
    }
}

/// Returns the names of the available products.
pub(crate) fn products() -> Vec<&'static str> {
    let named = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let mysql = named("TACHO_TEST_MYSQL").then_some(MYSQL);
    std::iter::once("MariaDB").chain(mysql).collect()
}

/// Starts a server whose commits do not wait for the disk.
pub(crate) fn server(product: &str) -> Result<Server> {
    start(product, &[("innodb-flush-log-at-trx-commit", "0")])
}

/// Starts a server whose commits are as safe as with the default settings.
pub(crate) fn safe_server(product: &str) -> Result<Server> {
    let flush = ("innodb-flush-log-at-trx-commit", "1");
    let log = INSTALLED.iter().filter(|_| product == MYSQL);
    start(product, &std::iter::once(&flush).chain(log).copied().collect::<Vec<_>>())
}

fn start(product: &str, more: &[(&str, &str)]) -> Result<Server> {
    // MySQL has a different name for the size of the redo log.
    let renamed = |(name, value)| match name {
        "innodb-log-file-size" if product == MYSQL => ("innodb-redo-log-capacity", "4G"),
        _ => (name, value),
    };
    let settings: Vec<(&str, &str)> =
        more.iter().copied().chain(SETTINGS.into_iter().map(renamed)).collect();
    let shown: Vec<String> =
        settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    println!("{product}: {}", shown.join(" "));
    let options = Options { settings: &settings, ..Options::default() };
    if product == MYSQL {
        return MySql::start_with(options).map(Server::MySql);
    }
    MariaDb::start_with(options).map(Server::MariaDb)
}
