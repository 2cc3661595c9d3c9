//! Corrupted responses of real servers. The client must neither panic nor hang.
//!
//! The clients for Oracle, Db2 and ODBC are libraries of vendors. Db2 and ODBC are therefore not tested. For Oracle,
//! only the responses of a scripted listener are corrupted.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tacho_core::Result;
use tacho_driver::{Access, Exchange, Form, StatementId};
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::{MariaDb, Postgres};
use tacho_testkit::tds::{Encryption, Options, Server};
use tacho_testkit::tns::{Answer, Listener};

use crate::fuzzed::{Change, cases, changes, spoiled};
use crate::live::{at, sql, texts};

/// If a server has sent nothing for this long, the test assumes that it has finished sending.
const SILENCE: Duration = Duration::from_millis(300);
/// If a conversation has taken this long, the test assumes that it is stuck.
const LIMIT: Duration = Duration::from_mins(1);

/// The bytes that the server has sent so far. The proxy stops when this value is dropped.
type Said = Arc<Mutex<Vec<u8>>>;

/// Starts a proxy that forwards everything, but corrupts bytes that the server sends.
fn spoiling(to: u16, changes: Vec<(usize, u8)>) -> (u16, Said) {
    passing(to, move |server, client, said| answer(server, client, &changes, said))
}

/// Starts a proxy that forwards everything, but sends one block of the server's bytes twice.
fn repeating(to: u16, at: usize) -> (u16, Said) {
    passing(to, move |mut server, mut client, said| {
        // The repeated block can make the client wait for a response that it has already received. Close the client's
        // connection when the server stops sending.
        let _ = server.set_read_timeout((at != usize::MAX).then_some(SILENCE));
        let (mut block, mut blocks) = (vec![0; 16 * 1024], 0);
        while let Ok(length @ 1..) = server.read(&mut block) {
            let times = if blocks == at { 2 } else { 1 };
            blocks += 1;
            said.lock().unwrap_or_else(PoisonError::into_inner).push(0);
            if client.write_all(&block[..length].repeat(times)).is_err() {
                break;
            }
        }
        let _ = client.shutdown(Shutdown::Both);
        let _ = server.shutdown(Shutdown::Both);
    })
}

/// Starts a proxy. `answers` forwards what the server sends.
#[expect(clippy::disallowed_methods, reason = "connections are waited for in real time")]
fn passing(
    to: u16,
    answers: impl Fn(&TcpStream, &TcpStream, &Mutex<Vec<u8>>) + Send + Sync + 'static,
) -> (u16, Said) {
    let answers = Arc::new(answers);
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.set_nonblocking(true).expect("a listener that can be polled");
    let port = listener.local_addr().expect("an address").port();
    let said = Said::default();
    let count = Arc::clone(&said);
    thread::spawn(move || {
        // Stop as soon as the caller has dropped the recorded bytes, because a nightly run creates thousands of
        // proxies.
        while Arc::strong_count(&count) > 1 {
            let Ok((client, _)) = listener.accept() else {
                thread::sleep(Duration::from_millis(5));
                continue;
            };
            let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else { return };
            let twin = |stream: &TcpStream| stream.try_clone().expect("a second handle");
            let (from, into) = (twin(&client), twin(&server));
            thread::spawn(move || {
                let _ = std::io::copy(&mut &from, &mut &into);
                let _ = into.shutdown(Shutdown::Both);
            });
            let (answers, count) = (Arc::clone(&answers), Arc::clone(&count));
            thread::spawn(move || answers(&server, &client, &count));
        }
    });
    (port, said)
}

fn answer(
    mut server: &TcpStream,
    mut client: &TcpStream,
    changes: &[(usize, u8)],
    said: &Mutex<Vec<u8>>,
) {
    // A changed length may make the client wait for bytes that never come. Close its connection when the server is
    // silent.
    let limit = (!changes.is_empty()).then_some(SILENCE);
    let _ = server.set_read_timeout(limit);
    let mut block = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = server.read(&mut block) {
        let from = {
            let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
            said.extend_from_slice(&block[..length]);
            said.len() - length
        };
        for (at, byte) in changes.iter().filter(|(at, _)| (from..from + length).contains(at)) {
            block[at - from] = *byte;
        }
        if client.write_all(&block[..length]).is_err() {
            break;
        }
    }
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
}

const STATEMENTS: &str = "-- name: kinds(x int, y text) -> (a int, b text, c decimal(2))\n\
    SELECT :x + 1 AS a, CAST(:y AS CHAR(20)) AS b, CAST(1.25 AS DECIMAL(6, 2)) AS c\n\
    -- name: none(x int) -> (a int)\nSELECT a FROM (SELECT 1 AS a) AS t WHERE a = :x\n";

/// Exchanges messages of all types with the server: a login, a script, queries, prepared statements, and an error.
fn talk(target: &str, form: Form) -> Result<()> {
    let scheme = target.split(':').next().unwrap_or_default();
    let driver = tacho_registry::driver(scheme)?;
    let bench = Bench::new(&*driver, target);
    let mut session = bench.session()?;
    let _ = bench.wait(session.inspector().facts());
    for sql in ["SELECT 1", "SELECT a FROM no_such_table"] {
        let _ = bench.wait(session.script(sql));
    }
    let mut exchange = bench.wait(Exchange::new(session, bench.catalog(STATEMENTS)?, form))?;
    for _ in 0..3 {
        exchange.begin(Access::Write);
        exchange.execute(StatementId(0)).int(7).text(b"seven");
        exchange.execute(StatementId(1)).int(3);
        exchange.commit();
        bench.send(&mut exchange)?;
    }
    Ok(())
}

/// Runs [`talk`] on a separate thread. Fails if the thread panics or the conversation does not end.
fn ends(target: String, form: Form) -> std::result::Result<Result<()>, TestCaseError> {
    let (tell, told) = channel();
    let work = move || {
        let event_loop = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("an event loop");
        let _inside = event_loop.enter();
        let _ = tell.send(talk(&target, form));
    };
    let thread = thread::spawn(work);
    match told.recv_timeout(LIMIT) {
        Ok(result) => Ok(result),
        Err(_) if thread.is_finished() => Err(TestCaseError::fail("it panics")),
        Err(_) => Err(TestCaseError::fail("it does not end")),
    }
}

/// Corrupts a conversation with the server at this port. The positions are random.
fn hostile(port: u16, target: impl Fn(u16) -> String) {
    for form in [Form::Sql, Form::Pipelined, Form::Simple] {
        let (open, said) = spoiling(port, Vec::new());
        let whole = ends(target(open), form).expect("an end");
        whole.expect("a conversation that nobody spoils");
        let length = said.lock().unwrap_or_else(PoisonError::into_inner).len();
        let cases = Config { cases: cases().cases / 4, ..cases() };
        let place = (0.0..1.0_f64, any::<u8>());
        let places = prop::collection::vec(place, 1..4);
        let outcome = TestRunner::new(cases).run(&places, |places| {
            let at = |share: f64| (share * length as f64) as usize;
            let changes = places.iter().map(|(share, byte)| (at(*share), *byte)).collect();
            let (open, _said) = spoiling(port, changes);
            if let Err(error) = ends(target(open), form)? {
                prop_assert!(!error.to_string().is_empty());
            }
            Ok(())
        });
        outcome.expect("each answer is read or refused");
    }
}

#[test]
fn answers_of_postgres_are_read_or_refused() {
    let server = Postgres::shared();
    hostile(server.port(), |port| {
        format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable")
    });
}

/// Replaces each of the server's messages in turn by another message. Tacho once panicked when a message that describes
/// rows was missing.
#[test]
fn messages_of_postgres_that_are_others_are_refused() {
    let server = Postgres::shared();
    let target =
        |port: u16| format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable");
    let (open, said) = spoiling(server.port(), Vec::new());
    ends(target(open), Form::Sql).expect("an end").expect("a conversation");
    let said = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (mut at, mut messages) = (0, 0);
    while let Some(length) = said.get(at + 1..).and_then(<[u8]>::first_chunk) {
        for tag in *b"tZN" {
            let (open, _said) = spoiling(server.port(), vec![(at, tag)]);
            if let Err(error) = ends(target(open), Form::Sql).expect("an end") {
                assert!(!error.to_string().is_empty());
            }
        }
        at += 1 + u32::from_be_bytes(*length) as usize;
        messages += 1;
    }
    assert!(messages > 30, "{messages}");
}

#[test]
fn answers_of_mariadb_are_read_or_refused() {
    let server = MariaDb::shared();
    let target = at(server, "tacho");
    let address = format!(":{}/", server.port());
    assert!(target.contains(&address), "{target}");
    hostile(server.port(), |port| target.replace(&address, &format!(":{port}/")));
}

#[test]
fn answers_of_sql_server_are_read_or_refused() {
    let server = Server::with(Options { encryption: Encryption::Off, ..Options::default() });
    hostile(server.port(), |port| {
        format!("sqlserver://sa:Secret1!@127.0.0.1:{port}/tacho?encrypt=optional")
    });
}

/// Messages with which an Oracle listener accepts or rejects a client.
const TNS: [&[u8]; 2] = [
    b"\0\x29\0\0\x02\0\0\0\x01\x3f\x0c\x41\0\0\0\0\x01\0\0\0\0\x29\x41\x01\0\0\0\0\0\0\0\0\0\0\x20\0\0\0\x20\0\0",
    b"\0\x3c\0\0\x04\0\0\0\x22\0\0\x30(DESCRIPTION=(TMP=)(ERR=12514)(ERROR_STACK=(CODE=1)))",
];

#[test]
fn answers_of_a_listener_are_read_or_refused() {
    let cases = Config { cases: cases().cases / 4, ..cases() };
    let both = (changes(), 0..TNS.len());
    let outcome = TestRunner::new(cases).run(&both, |(changes, which): (Vec<Change>, usize)| {
        let listener = Listener::start(Answer::Bytes(spoiled(TNS[which], &changes)));
        let target = format!("oracle://u:p@127.0.0.1:{}/x?connect_timeout=2s", listener.port());
        prop_assert!(ends(target, Form::Sql)?.is_err(), "there is no server");
        Ok(())
    });
    outcome.expect("each answer is read or refused");
}

const COMMITS: &str = "-- name: mark(x int)\nUPDATE acknowledged SET n = n + :x\n";

/// Commits transactions through a proxy, and counts them on a direct connection to the server. Returns the number of
/// acknowledged commits, and an error if the connection to the proxy failed.
fn acknowledged(through: &str, direct: &str, form: Form, marks: bool) -> (u64, Result<()>) {
    let event_loop =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let event_loop = event_loop.expect("an event loop");
    let _inside = event_loop.enter();
    let mut acknowledged = 0;
    let result = (|| {
        let driver = tacho_registry::driver(through.split(':').next().unwrap_or_default())?;
        let bench = Bench::new(&*driver, through);
        let catalog = bench.catalog(COMMITS)?;
        let last = tacho_driver::Catalog::clone(&catalog).with_last(StatementId(0));
        let catalog = if marks { Arc::new(last) } else { catalog };
        let mut exchange = bench.wait(Exchange::new(bench.session()?, catalog, form))?;
        for _ in 0..4 {
            exchange.begin(Access::Write);
            exchange.execute(StatementId(0)).int(1);
            bench.wait(exchange.send())?;
            exchange.execute(StatementId(0)).int(0);
            exchange.commit();
            if marks {
                bench.wait(exchange.send_together())?;
            } else {
                bench.wait(exchange.send())?;
            }
            acknowledged += 1;
            let there = texts(direct, "SELECT CAST(n AS CHAR(9)) FROM acknowledged").concat();
            assert!(there.trim().parse::<u64>().is_ok_and(|n| n >= acknowledged), "{there}");
        }
        Ok(())
    })();
    (acknowledged, result)
}

/// If a server or a proxy sends a response twice, the copy must not count as the acknowledgement of another commit.
fn repeats(port: u16, direct: &str, through: impl Fn(u16) -> String) {
    let reset = "DROP TABLE IF EXISTS acknowledged; CREATE TABLE acknowledged (n int); \
                 INSERT INTO acknowledged VALUES (0)";
    for (form, marks) in [(Form::Sql, false), (Form::Sql, true), (Form::Simple, true)] {
        sql(direct, reset);
        let (open, said) = repeating(port, usize::MAX);
        let whole = acknowledged(&through(open), direct, form, marks);
        whole.1.expect("a conversation without a repetition");
        assert_eq!(whole.0, 4, "{form:?}");
        let blocks = said.lock().unwrap_or_else(PoisonError::into_inner).len();
        let mut refused = 0;
        for at in 0..blocks {
            sql(direct, reset);
            let (open, _said) = repeating(port, at);
            let (_, result) = acknowledged(&through(open), direct, form, marks);
            refused += u64::from(result.is_err());
        }
        assert!(refused > 8, "{form:?}: {refused} of {blocks} repetitions were refused");
    }
}

#[test]
fn an_answer_that_mariadb_gives_twice_acknowledges_nothing() {
    let server = MariaDb::shared();
    let target = at(server, "tacho");
    let address = format!(":{}/", server.port());
    repeats(server.port(), &target, |port| target.replace(&address, &format!(":{port}/")));
}

#[test]
fn an_answer_that_postgres_gives_twice_acknowledges_nothing() {
    let server = Postgres::shared();
    let target = |port| format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable");
    repeats(server.port(), &target(server.port()), target);
}
