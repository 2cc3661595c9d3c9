//! Shared test setup: an event loop, a server of each product, and a database for each test.

#![allow(dead_code, unused_imports, reason = "no test program uses everything")]

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tacho_core::Result;
use tacho_driver::Driver;
use tacho_testkit::live;
pub use tacho_testkit::live::{check, enter, eventually, exchange, rows};
pub use tacho_testkit::servers::{MariaDb, MySql, Options};

/// A server of either product, with the addresses that its targets contain.
#[derive(Clone, Debug)]
pub struct Place {
    /// The target scheme, `mysql` or `mariadb`.
    pub scheme: &'static str,
    /// A target for the administrator over the Unix socket, without a database. Tests append options to it.
    socket: String,
    /// The target of a user who connects with a password over TCP.
    tcp: String,
}

impl Place {
    pub fn of_mariadb(server: &MariaDb) -> Self {
        Self::new("mariadb", &server.target(), &server.tcp_target())
    }

    pub fn of_mysql(server: &MySql) -> Self {
        Self::new("mysql", &server.target(), &server.tcp_target())
    }

    fn new(scheme: &'static str, socket: &str, tcp: &str) -> Self {
        let of = |target: &str| {
            let (_, rest) = target.split_once(':').expect("a target");
            format!("{scheme}:{rest}")
        };
        Self { scheme, socket: of(socket), tcp: of(tcp) }
    }

    /// Returns a target for a database over the Unix socket. A missing database is created with a full Unicode
    /// character set.
    pub fn database(&self, name: &str) -> String {
        format!("{}&database={name}&charset=utf8mb4", self.socket)
    }

    /// Returns a target for the database over TCP.
    pub fn tcp_database(&self, name: &str) -> String {
        format!("{}?database={name}&charset=utf8mb4", self.tcp)
    }

    /// Returns a TCP target for a different user.
    pub fn tcp_as(&self, user: &str) -> String {
        let (_, host) = self.tcp.rsplit_once('@').expect("a user");
        format!("{}://{user}@{host}", self.scheme)
    }
}

/// A server of each product; MySQL is omitted if it is not installed.
pub struct Servers {
    mariadb: MariaDb,
    mysql: Option<MySql>,
}

impl Servers {
    /// Starts all servers with the same options.
    pub fn start_with(options: Options<'_>) -> Result<Self> {
        let mysql = MySql::start_if_there(options)?;
        Ok(Self { mariadb: MariaDb::start_with(options)?, mysql })
    }

    /// Returns MariaDB, followed by MySQL if it is running.
    pub fn places(&self) -> Vec<Place> {
        let mysql = self.mysql.as_ref().map(Place::of_mysql);
        std::iter::once(Place::of_mariadb(&self.mariadb)).chain(mysql).collect()
    }
}

/// Returns the servers shared by all tests in this binary. They stop when the binary exits.
pub fn places() -> Vec<Place> {
    static SERVERS: OnceLock<Servers> = OnceLock::new();
    let start = || Servers::start_with(Options::default()).expect("servers");
    SERVERS.get_or_init(start).places()
}

/// Returns servers that only one test uses, so that other tests do not change the server-wide counters.
pub fn quiet() -> MutexGuard<'static, Servers> {
    static SERVERS: OnceLock<Mutex<Servers>> = OnceLock::new();
    let start = || Mutex::new(Servers::start_with(Options::default()).expect("servers"));
    SERVERS.get_or_init(start).lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn driver() -> Box<dyn Driver> {
    tacho_driver_mysql::driver()
}

/// Opens and closes a session.
pub fn visit(target: &str) -> Result<()> {
    live::visit(&*driver(), target)
}

/// Returns the value of a server setting, as a new session reports it in its facts.
pub fn setting(target: &str, name: &str) -> Result<String> {
    live::setting(&*driver(), target, name)
}

/// Returns the transport of a new session, such as `tls over tcp`.
pub fn transport(target: &str) -> Result<String> {
    setting(target, "transport")
}
