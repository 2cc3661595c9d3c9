//! What the tests share: an event loop, a server for each test program, a database for each test.

#![expect(dead_code, reason = "no test program uses everything")]

use std::sync::OnceLock;

use tacho_core::{Error, ErrorKind, Result, Retry};
use tacho_driver::{Driver, Exchange, Form, StatementId};
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::Postgres;
use tokio::runtime::{Builder, EnterGuard, Runtime};

/// Enters the event loop, which has a thread of its own; the suite waits on the test's thread.
pub fn enter() -> EnterGuard<'static> {
    static EVENT_LOOP: OnceLock<Runtime> = OnceLock::new();
    let start = || Builder::new_multi_thread().worker_threads(1).enable_all().build();
    EVENT_LOOP.get_or_init(|| start().expect("an event loop")).enter()
}

/// The server that all tests of a program share. It ends with the program.
pub fn server() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(|| Postgres::start().expect("a PostgreSQL server"))
}

/// A new database on the shared server; the target that names it over the Unix socket.
pub fn database(name: &str) -> String {
    let driver = driver();
    let admin = Bench::new(&*driver, &server().target());
    admin.script(&format!("CREATE DATABASE {name}")).expect("a new database");
    format!("{}&dbname={name}", server().target())
}

pub fn driver() -> Box<dyn Driver> {
    tacho_driver_postgres::driver()
}

/// A session with the statements of `sql`, numbered from 0.
pub fn exchange(bench: &Bench<'_>, sql: &str, form: Form) -> Result<Exchange> {
    bench.wait(Exchange::new(bench.session()?, bench.catalog(sql)?, form))
}

/// Runs one statement without parameters and shows its rows.
pub fn rows(bench: &Bench<'_>, exchange: &mut Exchange, statement: u16) -> Result<Vec<String>> {
    exchange.execute(StatementId(statement));
    Ok(bench.send(exchange)?.remove(0).0)
}

/// Opens a session and closes it.
pub fn visit(target: &str) -> Result<()> {
    let driver = driver();
    let bench = Bench::new(&*driver, target);
    bench.wait(bench.session()?.close())
}

/// The transport of a new session, as its facts name it.
pub fn transport(target: &str) -> Result<String> {
    let driver = driver();
    let bench = Bench::new(&*driver, target);
    let facts = bench.wait(bench.session()?.facts())?;
    let setting = facts.settings.into_iter().find(|setting| setting.name == "transport");
    Ok(setting.expect("the transport").value)
}

/// Checks kind, code and what may be tried again.
pub fn check(error: &Error, kind: ErrorKind, code: Option<&str>, retry: Retry) {
    let found = (error.kind(), error.native_code(), error.retry_class());
    assert_eq!(found, (kind, code, retry), "{error:?}");
}

/// Waits until something is so, for at most ten seconds.
#[expect(clippy::disallowed_methods, reason = "a server does some things in its own time")]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..500 {
        if is_so() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{what} did not come about");
}
