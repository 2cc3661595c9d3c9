//! Shared test setup: an event loop, a server, and a database for each test.

#![allow(dead_code, unused_imports, reason = "no test program uses everything")]

use std::sync::OnceLock;

use tacho_core::Result;
use tacho_driver::Driver;
use tacho_testkit::conformance::Bench;
use tacho_testkit::live;
pub use tacho_testkit::live::{check, enter, eventually, exchange, rows};
use tacho_testkit::servers::Postgres;

/// Returns the server that all tests in this binary share.
pub fn server() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(|| Postgres::start().expect("a PostgreSQL server"))
}

/// Creates a database on the shared server. Returns a target with the Unix socket.
pub fn database(name: &str) -> String {
    let driver = driver();
    let admin = Bench::new(&*driver, &server().target());
    admin.script(&format!("CREATE DATABASE {name}")).expect("a new database");
    format!("{}&dbname={name}", server().target())
}

pub fn driver() -> Box<dyn Driver> {
    tacho_driver_postgres::driver()
}

/// Opens and closes a session.
pub fn visit(target: &str) -> Result<()> {
    live::visit(&*driver(), target)
}

/// Returns the connection type that the facts of a new session report.
pub fn transport(target: &str) -> Result<String> {
    live::setting(&*driver(), target, "transport")
}
