//! A PostgreSQL server that the tests share, with prepared data that they copy.
//!
//! The driver is used for administration alone: what is tested is the command. Start reading at
//! [`Database`].

pub mod proxy;

use std::sync::OnceLock;

use tacho_driver::{Exchange, Form, Session, StatementId};
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::{Options, Postgres};
use tacho_tests::Folder;
use tokio::runtime::{Builder, Runtime};

/// Who has a password over TCP, and who has none.
const ACCESS: [&str; 2] =
    ["host all secretive 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 trust"];

fn event_loop() -> &'static Runtime {
    static EVENT_LOOP: OnceLock<Runtime> = OnceLock::new();
    let start = || Builder::new_multi_thread().worker_threads(1).enable_all().build();
    EVENT_LOOP.get_or_init(|| start().expect("an event loop"))
}

/// Runs statements on a database.
pub fn sql(target: &str, statements: &str) {
    let _inside = event_loop().enter();
    let driver = tacho_driver_postgres::driver();
    Bench::new(&*driver, target).script(statements).expect(statements);
}

/// Runs statements in a session that stays open until it is dropped.
pub fn hold(target: &str, statements: &str) -> Box<dyn Session> {
    let _inside = event_loop().enter();
    let driver = tacho_driver_postgres::driver();
    let bench = Bench::new(&*driver, target);
    let mut session = bench.session().expect("a session");
    bench.wait(session.script(statements)).expect(statements);
    session
}

/// The rows of a query of texts, without their quotes.
pub fn texts(target: &str, query: &str) -> Vec<String> {
    let _inside = event_loop().enter();
    let driver = tacho_driver_postgres::driver();
    let bench = Bench::new(&*driver, target);
    let section = format!("-- name: q() -> (line text)\n{query}");
    let catalog = bench.catalog(&section).expect(query);
    let session = bench.session().expect("a session");
    let exchange = Exchange::new(session, catalog, Form::Sql);
    let mut exchange = bench.wait(exchange).expect(query);
    exchange.execute(StatementId(0));
    let rows = bench.send(&mut exchange).expect(query).remove(0).0;
    rows.iter().map(|row| row.trim_matches('\'').to_owned()).collect()
}

/// The server of all tests that do not end it. It has one warehouse in the database `one`.
pub fn server() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(|| {
        let server = Postgres::start_with(Options { access: &ACCESS, ..Options::default() });
        let server = server.unwrap_or_else(|e| panic!("{e}; {}", e.hints().join("; ")));
        let one = target(&server, "one");
        Folder::new().tacho(&format!("prepare tprocc '{one}'")).exits(0);
        sql(&server.target(), "CREATE ROLE secretive LOGIN PASSWORD 'right'");
        sql(&server.target(), "CREATE ROLE guest LOGIN");
        server
    })
}

/// A database of a server, over TCP.
pub fn target(server: &Postgres, database: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{}/{database}", server.port())
}

/// A database of its own for a test, with one warehouse.
pub struct Database {
    /// Its target.
    pub target: String,
    /// A folder for runs.
    pub folder: Folder,
}

impl Database {
    /// A copy of the prepared one.
    pub fn new(name: &str) -> Self {
        let copy = format!("CREATE DATABASE {name} TEMPLATE one STRATEGY file_copy");
        sql(&server().target(), &copy);
        Self { target: target(server(), name), folder: Folder::new() }
    }
}
