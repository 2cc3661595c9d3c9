//! What the tests share: the scripted server, and short words for sessions on it.

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

/// The target of a scripted server, whose certificate is not verified.
pub fn target(server: &Server, options: &str) -> String {
    let port = server.port();
    format!("sqlserver://sa:Secret1!@127.0.0.1:{port}/tacho?trust_server_certificate=yes{options}")
}

/// A server that encrypts as asked.
pub fn server(encryption: Encryption) -> Server {
    Server::with(Options { encryption, ..Options::default() })
}

/// Runs a test on a server with these options and the tables of the suite.
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

/// The same with a server that encrypts logins only.
pub fn on_server(test: impl FnOnce(&Server, &Bench<'_>) -> Result<()>) -> Result<()> {
    on_server_with(Options { encryption: Encryption::Login, ..Options::default() }, test)
}

/// Opens a session and closes it.
pub fn visit(target: &str) -> Result<()> {
    live::visit(&*driver(), target)
}

/// A session that makes no database.
pub fn connect(target: &str) -> Result<Box<dyn Session>> {
    let driver = driver();
    let bench = Bench::new(&*driver, target);
    let environment = Environment { create: false, ..bench.environment() };
    bench.wait(driver.connect(&Target::parse(target)?, environment))
}
