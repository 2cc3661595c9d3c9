//! Ours on a MariaDB server of our own, or on the MySQL server that `TACHO_TEST_MYSQL` names.
//!
//! As for the other server: one thread, the Unix socket, and the CPU time of the whole client process.

#![expect(clippy::print_stdout, reason = "the results are the output")]

pub(crate) mod calls;
pub(crate) mod forms;
pub(crate) mod load;

use std::path::PathBuf;

use tacho_core::Result;
use tacho_testkit::servers::{MariaDb, MySql, Options};

/// Enough for ten warehouses, and for 64 sessions in addition to those of administration.
const SETTINGS: [(&str, &str); 4] = [
    ("innodb-buffer-pool-size", "2G"),
    ("innodb-log-file-size", "2G"),
    ("max-connections", "100"),
    ("secure-file-priv", ""),
];

/// A server of one of the products.
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

    pub(crate) fn client(&self, sql: &str) -> Result<String> {
        match self {
            Self::MariaDb(server) => server.client(sql),
            Self::MySql(server) => server.client(sql),
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

/// The products that there are, each with its name.
pub(crate) fn products() -> Vec<&'static str> {
    let named = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let mysql = named("TACHO_TEST_MYSQL").then_some("MySQL");
    std::iter::once("MariaDB").chain(mysql).collect()
}

pub(crate) fn server(product: &str) -> Result<Server> {
    let shown: Vec<String> =
        SETTINGS.iter().map(|(name, value)| format!("{name}={value}")).collect();
    println!("{product}: innodb-flush-log-at-trx-commit=0 {}", shown.join(" "));
    let options = Options { settings: &SETTINGS, ..Options::default() };
    if product == "MySQL" {
        // It names the same by another name, and takes no empty value.
        let settings: Vec<(&str, &str)> = SETTINGS
            .into_iter()
            .map(|(name, value)| match name {
                "innodb-log-file-size" => ("innodb-redo-log-capacity", "4G"),
                _ => (name, value),
            })
            .collect();
        let options = Options { settings: &settings, ..Options::default() };
        return MySql::start_with(options).map(Server::MySql);
    }
    MariaDb::start_with(options).map(Server::MariaDb)
}
