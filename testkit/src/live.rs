//! Helpers for tests of drivers on live servers: an event loop, and short functions for frequent operations.
//!
//! These helpers must not name a driver. Start reading at [`enter`].

#![expect(clippy::missing_panics_doc, reason = "a test panics with what it expected")]

use std::io::Write;
use std::net::{Shutdown, TcpListener};
use std::sync::OnceLock;
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result, Retry};
use tacho_driver::{Driver, Exchange, Form, RowSource, StatementId, Values};
use tokio::runtime::{Builder, EnterGuard, Runtime};

use crate::allocation;
use crate::conformance::bench::Bench;

/// Enters an event loop that has its own thread, because the test's thread is blocked while the suite waits for
/// results.
pub fn enter() -> EnterGuard<'static> {
    static EVENT_LOOP: OnceLock<Runtime> = OnceLock::new();
    let start = || Builder::new_multi_thread().worker_threads(1).enable_all().build();
    EVENT_LOOP.get_or_init(|| start().expect("an event loop")).enter()
}

/// Opens a session that can run the statements in `sql`. The first one has the number 0.
pub fn exchange(bench: &Bench<'_>, sql: &str, form: Form) -> Result<Exchange> {
    bench.wait(Exchange::new(bench.session()?, bench.catalog(sql)?, form))
}

/// Runs one statement without parameters and returns its rows.
pub fn rows(bench: &Bench<'_>, exchange: &mut Exchange, statement: u16) -> Result<Vec<String>> {
    exchange.execute(StatementId(statement));
    Ok(bench.send(exchange)?.remove(0).0)
}

/// Opens and closes a session.
pub fn visit(driver: &dyn Driver, target: &str) -> Result<()> {
    let bench = Bench::new(driver, target);
    bench.wait(bench.session()?.close())
}

/// Returns the value of a setting by its name. The value comes from the information that a new session reads about the
/// server.
pub fn setting(driver: &dyn Driver, target: &str, name: &str) -> Result<String> {
    let bench = Bench::new(driver, target);
    let facts = bench.wait(bench.session()?.inspector().facts())?;
    let setting = facts.settings.into_iter().find(|setting| setting.name == name);
    Ok(setting.expect("the setting").value)
}

/// Checks an error's kind, code and retry class.
pub fn check(error: &Error, kind: ErrorKind, code: Option<&str>, retry: Retry) {
    let found = (error.kind(), error.native_code(), error.retry_class());
    assert_eq!(found, (kind, code, retry), "{error:?}");
}

/// Waits until a condition holds, for at most ten seconds.
#[expect(clippy::disallowed_methods, reason = "a server does some things in its own time")]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..500 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{what} did not come about");
}

/// Checks the errors for a port at which no server listens and for a socket that does not exist. They must contain the
/// address.
pub fn nobody_is_told(
    driver: &dyn Driver,
    at_port: impl Fn(u16) -> String,
    at_socket: &str,
    socket: &str,
) {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let port = free.expect("a free port").port();
    for (target, shown) in
        [(at_port(port), format!("127.0.0.1:{port}")), (at_socket.into(), socket.into())]
    {
        let error = visit(driver, &target).expect_err("nobody listens");
        check(&error, ErrorKind::Connect, None, Retry::NewConnection);
        assert!(error.to_string().contains(&shown), "{error}");
    }
}

/// Checks that a client stops waiting for a silent server at the target's time limit, which is a tenth of a second.
pub fn silence_has_an_end(driver: &dyn Driver, at_port: impl Fn(u16) -> String) {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let port = silent.local_addr().expect("its address").port();
    let error = visit(driver, &at_port(port)).expect_err("it says nothing");
    check(&error, ErrorKind::Timeout, None, Retry::Never);
}

/// Checks that a client never allocates more than `most` bytes at once, even if the server announces a very long
/// message.
///
/// The test program must count its allocations.
pub fn claimed_lengths_are_not_allocated(
    driver: &dyn Driver,
    at_port: impl Fn(u16) -> String,
    said: &[Vec<u8>],
    most: usize,
) {
    for (at, bytes) in said.iter().enumerate() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
        let port = listener.local_addr().expect("its address").port();
        let bytes = bytes.clone();
        let server = std::thread::spawn(move || {
            let (mut client, _) = listener.accept()?;
            client.write_all(&bytes)?;
            client.shutdown(Shutdown::Write)?;
            std::io::copy(&mut client, &mut std::io::sink())
        });
        let bench = Bench::new(driver, &at_port(port));
        allocation::largest();
        let outcome =
            bench.session().and_then(|mut session| bench.wait(session.script("SELECT 1")));
        let error = outcome.expect_err("no server says this");
        let largest = allocation::largest();
        assert!(largest > 0, "the program does not count its allocations");
        assert!(largest <= most, "{at}: {largest} bytes; {error}");
        // Wait for the server's thread. It ends when the client disconnects, even if it could not send everything.
        let _ = server.join().expect("no panic");
    }
}

/// A source of many rows for the first table of the suite. The key of the last row may be invalid.
#[derive(Clone, Copy, Debug)]
pub struct ManyRows {
    count: i64,
    next: i64,
    spoiled: bool,
}

impl ManyRows {
    /// Creates a source of `count` valid rows.
    pub fn sound(count: i64) -> Self {
        Self { count, next: 0, spoiled: false }
    }

    /// Creates a source of `count` rows. The database rejects the last one.
    pub fn spoiled(count: i64) -> Self {
        Self { spoiled: true, ..Self::sound(count) }
    }

    /// Returns the expected result of [`Bench::totals`] after `count` valid rows have been loaded.
    pub fn totals(count: i64) -> String {
        format!("{count} {}e", 7 * count * (count - 1) / 2 - 300_000 * count)
    }
}

impl RowSource for ManyRows {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let count = (self.count - self.next).min(300);
        for id in self.next..self.next + count {
            let key = if self.spoiled && id == self.count - 1 { 1 << 40 } else { id };
            rows.int(key);
            rows.int(-key);
            rows.decimal(id * 7 - 300_000);
            rows.text("naïve".as_bytes());
            rows.time(id * 1_000_000);
        }
        self.next += count;
        count as usize
    }
}
