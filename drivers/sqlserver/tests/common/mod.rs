//! Shared test setup: the scripted server, and functions that open sessions on it.

#![allow(dead_code, unused_imports, reason = "no test program uses everything")]

use tacho_core::Result;
use tacho_driver::{Driver, Environment, Session, Target};
use tacho_testkit::conformance::Bench;
use tacho_testkit::live;
pub use tacho_testkit::live::{check, enter, eventually, exchange, rows};
pub use tacho_testkit::tds::{Encryption, Options, Server};

pub fn driver() -> Box<dyn Driver> {
    tacho_driver_sqlserver::driver()
}

/// Returns the target of a scripted server whose certificate is not verified.
pub fn target(server: &Server, options: &str) -> String {
    let port = server.port();
    format!("sqlserver://sa:Secret1!@127.0.0.1:{port}/tacho?trust_server_certificate=yes{options}")
}

/// Starts a server that uses this encryption mode.
pub fn server(encryption: Encryption) -> Server {
    Server::with(Options { encryption, ..Options::default() })
}

/// Runs a test on a server with these options, which has the tables of the test suite.
pub fn on_server_with(
    options: Options,
    test: impl FnOnce(&Server, &Bench<'_>) -> Result<()>,
) -> Result<()> {
    let _inside = enter();
    let server = Server::with(options);
    let driver = driver();
    let bench = Bench::new(&*driver, &target(&server, ""));
    bench.reset()?;
    test(&server, &bench)
}

/// Runs a test on a server that encrypts only logins.
pub fn on_server(test: impl FnOnce(&Server, &Bench<'_>) -> Result<()>) -> Result<()> {
    on_server_with(Options { encryption: Encryption::Login, ..Options::default() }, test)
}

/// Opens and closes a session.
pub fn visit(target: &str) -> Result<()> {
    live::visit(&*driver(), target)
}

/// Opens a session that must not create a database.
pub fn connect(target: &str) -> Result<Box<dyn Session>> {
    let driver = driver();
    let bench = Bench::new(&*driver, target);
    let environment = Environment { create: false, ..bench.environment() };
    bench.wait(driver.connect(&Target::parse(target)?, environment))
}
