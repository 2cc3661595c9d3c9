//! A type for each product, with settings that are suitable for tests.

use std::process::Command;
use std::sync::OnceLock;

use tacho_driver_mysql::{MARIADB, MYSQL};
use tacho_driver_postgres::PrivateServer;
use tacho_servers::{Product, ServerPlace};

use super::copied::{Copied, Kept};
use super::{TestServer, client};

/// A server that all tests of a program share. It is started when it is first requested.
pub type Shared<K> = OnceLock<Option<TestServer<K>>>;

/// A product in tests.
pub trait Kind {
    /// Settings that make the server faster but unsafe, because test data need not survive a crash.
    const SETTINGS: &'static [(&'static str, &'static str)];

    /// The user's password for TCP.
    const PASSWORD: &'static str;

    /// True if a starting server keeps a core busy for several seconds.
    const IS_HEAVY: bool = false;

    /// True if a killed server leaves only its folder behind. PostgreSQL also leaves shared memory behind.
    const LEAVES_NOTHING: bool = true;

    /// The product.
    fn product() -> &'static dyn Product;

    /// Returns the server that all tests of a program share. It is not available if its product is not installed.
    fn shared() -> &'static Shared<Self>
    where
        Self: Sized;

    /// Returns the lines that specify who may connect.
    fn access(lines: &[&str]) -> Vec<String> {
        lines.iter().map(ToString::to_string).collect()
    }

    /// Returns a command that runs the product's command-line client. The caller has to add only the SQL statements.
    fn client(place: &ServerPlace) -> Command;
}

/// See [`super::Postgres`].
pub struct PostgresKind;
/// See [`super::MariaDb`].
pub struct MariaDbKind;
/// See [`super::MySql`].
pub struct MySqlKind;

impl Kind for PostgresKind {
    const SETTINGS: &'static [(&'static str, &'static str)] = &[
        ("fsync", "off"),
        ("full_page_writes", "off"),
        ("max_connections", "50"),
        ("shared_buffers", "64MB"),
        // Keep the log small, because the folders of tests are usually in memory.
        ("max_wal_size", "1GB"),
        // The default since version 14.
        ("password_encryption", "scram-sha-256"),
    ];

    const PASSWORD: &'static str = "";

    const LEAVES_NOTHING: bool = false;

    fn product() -> &'static dyn Product {
        static PRODUCT: Copied =
            Copied { product: &PrivateServer, kept: Kept::Initialised(PostgresKind::SETTINGS) };
        &PRODUCT
    }

    fn shared() -> &'static Shared<Self> {
        static SERVER: Shared<PostgresKind> = OnceLock::new();
        &SERVER
    }

    fn access(lines: &[&str]) -> Vec<String> {
        let all = "host all all 127.0.0.1/32 trust";
        let lines = if lines.is_empty() { &[all] } else { lines };
        lines.iter().map(ToString::to_string).collect()
    }

    fn client(place: &ServerPlace) -> Command {
        let folder = place.sockets.display().to_string();
        let words = ["-X", "-q", "-A", "-t", "-U", "postgres", "-h", &folder, "-p"];
        let mut words = words.map(str::to_owned).to_vec();
        words.extend([place.port.to_string(), "-d".into(), "postgres".into(), "-c".into()]);
        client("psql", &words)
    }
}

/// Settings that make MariaDB and MySQL faster, but unsafe if they crash.
const FAST: &[(&str, &str)] = &[
    ("innodb-flush-log-at-trx-commit", "0"),
    ("sync-binlog", "0"),
    ("skip-log-bin", "1"),
    ("innodb-buffer-pool-size", "64M"),
];

impl Kind for MariaDbKind {
    const SETTINGS: &'static [(&'static str, &'static str)] = FAST;

    const PASSWORD: &'static str = "Secret-1";

    fn product() -> &'static dyn Product {
        static PRODUCT: Copied = Copied { product: &MARIADB, kept: Kept::Initialised(FAST) };
        &PRODUCT
    }

    fn shared() -> &'static Shared<Self> {
        static SERVER: Shared<MariaDbKind> = OnceLock::new();
        &SERVER
    }

    fn client(place: &ServerPlace) -> Command {
        family_client(place)
    }
}

impl Kind for MySqlKind {
    const SETTINGS: &'static [(&'static str, &'static str)] = FAST;

    const IS_HEAVY: bool = true;

    const PASSWORD: &'static str = "Secret-1";

    fn product() -> &'static dyn Product {
        static PRODUCT: Copied = Copied { product: &MYSQL, kept: Kept::Initialised(FAST) };
        &PRODUCT
    }

    fn shared() -> &'static Shared<Self> {
        static SERVER: Shared<MySqlKind> = OnceLock::new();
        &SERVER
    }

    fn client(place: &ServerPlace) -> Command {
        family_client(place)
    }
}

/// Returns a command for MariaDB's client, which works with both products.
fn family_client(place: &ServerPlace) -> Command {
    let socket = format!("--socket={}", place.sockets.join("s.sock").display());
    let words = ["--no-defaults", &socket, "-u", "root", "-N", "-B", "-D", "tacho", "-e"];
    client("mariadb", &words.map(str::to_owned))
}
