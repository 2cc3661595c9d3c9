//! What the tests share: an event loop, a server of each product, a database
//! for each test.

#![allow(dead_code, unused_imports, reason = "no test program uses everything")]

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tacho_core::Result;
use tacho_driver::Driver;
use tacho_testkit::live;
pub use tacho_testkit::live::{check, enter, eventually, exchange, rows};
pub use tacho_testkit::servers::{MariaDb, MySql, Options};

/// A server of either product, as its targets name it.
#[derive(Clone, Debug)]
pub struct Place {
    /// `mysql` or `mariadb`.
    pub scheme: &'static str,
    /// The administrator over the Unix socket, without a database, up to the options.
    socket: String,
    /// A user with a password over TCP.
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

    /// A database over the Unix socket. It is made where it is missing, for all characters.
    pub fn database(&self, name: &str) -> String {
        format!("{}&database={name}&charset=utf8mb4", self.socket)
    }

    /// The same over TCP.
    pub fn tcp_database(&self, name: &str) -> String {
        format!("{}?database={name}&charset=utf8mb4", self.tcp)
    }

    /// The same over TCP, as another user.
    pub fn tcp_as(&self, user: &str) -> String {
        let (_, host) = self.tcp.rsplit_once('@').expect("a user");
        format!("{}://{user}@{host}", self.scheme)
    }
}

/// Servers of both products; MySQL's only where there is one.
pub struct Servers {
    mariadb: MariaDb,
    mysql: Option<MySql>,
}

impl Servers {
    /// Starts them with the same options.
    pub fn start_with(options: Options<'_>) -> Result<Self> {
        let mysql = MySql::start_if_there(options)?;
        Ok(Self { mariadb: MariaDb::start_with(options)?, mysql })
    }

    /// MariaDB's place, then MySQL's.
    pub fn places(&self) -> Vec<Place> {
        let mysql = self.mysql.as_ref().map(Place::of_mysql);
        std::iter::once(Place::of_mariadb(&self.mariadb)).chain(mysql).collect()
    }
}

/// The servers that all tests of a program share. They end with the program.
pub fn places() -> Vec<Place> {
    static SERVERS: OnceLock<Servers> = OnceLock::new();
    let start = || Servers::start_with(Options::default()).expect("servers");
    SERVERS.get_or_init(start).places()
}

/// Servers on which no other test works at the same time: for counts of the whole server.
pub fn quiet() -> MutexGuard<'static, Servers> {
    static SERVERS: OnceLock<Mutex<Servers>> = OnceLock::new();
    let start = || Mutex::new(Servers::start_with(Options::default()).expect("servers"));
    SERVERS.get_or_init(start).lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn driver() -> Box<dyn Driver> {
    tacho_driver_mysql::driver()
}

/// Opens a session and closes it.
pub fn visit(target: &str) -> Result<()> {
    live::visit(&*driver(), target)
}

/// A setting of a new session's server, as its facts name it.
pub fn setting(target: &str, name: &str) -> Result<String> {
    live::setting(&*driver(), target, name)
}

/// The transport of a new session.
pub fn transport(target: &str) -> Result<String> {
    setting(target, "transport")
}
