//! Tests of failures: rejected logins, error numbers, lost connections and statement timeouts.

#![expect(clippy::disallowed_methods, reason = "faults come after a moment of real time")]

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};
use std::thread;
use std::time::{Duration, Instant};

use tacho_core::{ErrorKind, Result, Retry};
use tacho_driver::{Access, Form, StatementId};
use tacho_testkit::conformance::{Bench, statement};
use tacho_testkit::live::silence_has_an_end;

use crate::common::{
    Encryption, check, connect, driver, enter, eventually, exchange, server, target, visit,
};

const SQL: &str = "-- name: nap() -> (n int)\nWAITFOR DELAY '00:00:20'; SELECT 1
-- name: one() -> (n int)\nSELECT 1";
const NAP: StatementId = StatementId(0);
const ONE: StatementId = StatementId(1);

#[test]
fn reports_rejected_logins_with_a_hint() {
    let _inside = enter();
    let server = server(Encryption::Login);
    let wrong = target(&server, "").replace("Secret1!", "wrong");
    let error = connect(&wrong).err().expect("a wrong password");
    check(&error, ErrorKind::Auth, Some("18456"), Retry::Never);
    assert!(error.hints()[0].contains("SQLCMDPASSWORD"), "{:?}", error.hints());
    assert!(!format!("{error:?}").contains("wrong"), "a password is never shown: {error:?}");
    let unknown = target(&server, "&database=absent");
    let error = connect(&unknown).err().expect("an unknown database");
    check(&error, ErrorKind::Missing, Some("4060"), Retry::Never);
    assert!(!error.hints().is_empty());
}

#[test]
fn creates_and_drops_a_database() -> Result<()> {
    let _inside = enter();
    let server = server(Encryption::Login);
    let place = target(&server, "&database=fresh");
    visit(&place)?;
    connect(&place)?;
    let driver = driver();
    let bench = Bench::new(&*driver, &place);
    let removed = bench.wait(driver.remove(&tacho_driver::Target::parse(&place)?))?;
    assert!(removed.is_some_and(|removed| removed.database));
    assert!(connect(&place).is_err());
    Ok(())
}

#[test]
fn reports_closed_ports_and_silent_servers() {
    let _inside = enter();
    let at = |port: u16| format!("sqlserver://sa@127.0.0.1:{port}/d?connect_timeout=100ms");
    silence_has_an_end(&*driver(), at);
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let port = free.expect("a free port").port();
    let error = visit(&at(port)).expect_err("nobody listens");
    check(&error, ErrorKind::Connect, None, Retry::NewConnection);
    assert!(error.to_string().contains(&format!("127.0.0.1:{port}")), "{error}");
}

#[test]
fn reports_servers_of_another_kind() {
    let _inside = enter();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        use std::io::Write;
        let (mut socket, _) = listener.accept().expect("a client");
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").expect("an answer");
        thread::sleep(Duration::from_secs(2));
    });
    let error = visit(&format!("sqlserver://sa@127.0.0.1:{port}/d")).expect_err("a web server");
    check(&error, ErrorKind::Protocol, None, Retry::NewConnection);
}

#[test]
fn numbers_of_errors_have_their_kinds_in_every_form() -> Result<()> {
    let _inside = enter();
    let server = server(Encryption::Login);
    let driver = driver();
    let bench = Bench::new(&*driver, &target(&server, ""));
    let table = [
        (1205, ErrorKind::Deadlock, Retry::SameConnection),
        (1222, ErrorKind::LockTimeout, Retry::SameConnection),
        (3960, ErrorKind::Serialization, Retry::SameConnection),
        (3961, ErrorKind::Serialization, Retry::SameConnection),
        (41302, ErrorKind::Serialization, Retry::SameConnection),
        (8645, ErrorKind::Timeout, Retry::Never),
        (701, ErrorKind::Resource, Retry::Never),
        (511, ErrorKind::Resource, Retry::Never),
        (229, ErrorKind::Auth, Retry::Never),
        (547, ErrorKind::Constraint, Retry::Never),
        (3617, ErrorKind::Cancelled, Retry::Never),
    ];
    for form in [Form::Sql, Form::Simple] {
        bench.reset()?;
        let mut exchange = bench.exchange(form)?;
        for (number, kind, retry) in table {
            exchange.begin(Access::Write);
            exchange.execute(statement::INSERT).int(1).int(1).decimal(1).null().null();
            bench.send(&mut exchange)?;
            server.fail("update conformance", number, 1);
            exchange.execute(statement::CHANGE).int(0).int(2);
            exchange.commit();
            let error = bench.send(&mut exchange).expect_err("the ordered error");
            check(&error, kind, Some(&number.to_string()), retry);
            assert!(error.to_string().starts_with("cannot run change: "), "{error}");
            bench.wait(exchange.reset())?;
            assert_eq!(bench.totals()?, ["0 NULL"], "{number}");
        }
    }
    Ok(())
}

/// The second transaction waits for a row that the first one has locked. It must fail when the target's time limit is
/// reached.
#[test]
fn waits_for_a_lock_as_long_as_the_target_says() -> Result<()> {
    let _inside = enter();
    let server = server(Encryption::Login);
    let driver = driver();
    let bench = Bench::new(&*driver, &target(&server, "&lock_timeout=200ms"));
    bench.reset()?;
    let [mut first, mut second] = [bench.exchange(Form::Sql)?, bench.exchange(Form::Sql)?];
    for (exchange, id) in [(&mut first, 1), (&mut second, 2)] {
        exchange.begin(Access::Write);
        exchange.execute(statement::INSERT).int(id).int(1).decimal(1).null().null();
    }
    bench.send(&mut first)?;
    let error = bench.send(&mut second).expect_err("a lock");
    check(&error, ErrorKind::LockTimeout, Some("1222"), Retry::SameConnection);
    Ok(())
}

/// Makes the server close the connection after each possible number of bytes. The result must always be a connection
/// error.
#[test]
fn a_connection_may_end_anywhere() -> Result<()> {
    let _inside = enter();
    let server = server(Encryption::Off);
    let driver = driver();
    let place = target(&server, "&encrypt=optional");
    let bench = Bench::new(&*driver, &place);
    bench.reset()?;
    let attempt = || -> Result<()> {
        let mut exchange = bench.exchange(Form::Sql)?;
        exchange.execute(statement::INSERT).int(1).null().null().text(b"text").null();
        exchange.execute(statement::READ).int(1);
        exchange.begin(Access::Write);
        exchange.rollback();
        bench.send(&mut exchange).map(|_| ())
    };
    let mut whole = 0;
    for bytes in (0..1_500).step_by(3) {
        server.faults(|faults| faults.drop_after = Some(bytes));
        server.sqlite(|db| db.execute_batch("DELETE FROM conformance")).expect("an empty table");
        match attempt() {
            Err(error) => check(&error, ErrorKind::Connect, None, Retry::NewConnection),
            Ok(()) => whole += 1,
        }
    }
    assert!(whole > 0 && whole < 450, "{whole} of 500 ended before that byte");
    server.faults(|faults| faults.drop_after = None);
    visit(&place)
}

#[test]
fn a_lost_session_stays_lost_and_another_is_found() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let server = server(Encryption::Login);
    let place = target(&server, "");
    let bench = Bench::new(&*driver, &place);
    let mut napper = exchange(&bench, SQL, Form::Sql)?;
    napper.execute(NAP);
    let error = thread::scope(|scope| {
        scope.spawn(|| {
            let _inside = enter();
            thread::sleep(Duration::from_millis(300));
            let id = server.sessions()[0];
            bench.script(&format!("KILL {id}")).expect("an end");
        });
        bench.send(&mut napper).expect_err("a killed session")
    });
    assert_eq!(error.retry_class(), Retry::NewConnection, "{error:?}");
    let error = bench.wait(napper.reset()).expect_err("still lost");
    check(&error, ErrorKind::Connect, None, Retry::NewConnection);
    visit(&place)?;
    drop(server);
    let error = visit(&place).expect_err("no server");
    check(&error, ErrorKind::Connect, None, Retry::NewConnection);
    Ok(())
}

/// If a session is abandoned, the client must send an attention message, so that its long statement ends early.
#[test]
fn abandoned_sessions_leave_nothing_running() -> Result<()> {
    let _inside = enter();
    let server = server(Encryption::Login);
    let driver = driver();
    let bench = Bench::new(&*driver, &target(&server, ""));
    let mut napper = exchange(&bench, SQL, Form::Sql)?;
    napper.execute(ONE);
    bench.send(&mut napper)?;
    napper.execute(NAP);
    {
        let mut sending = pin!(napper.send());
        assert!(sending.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    thread::sleep(Duration::from_millis(200));
    assert_eq!(server.sessions().len(), 1);
    let start = Instant::now();
    drop(napper);
    eventually("the end of the session", || server.sessions().is_empty());
    assert!(start.elapsed() < Duration::from_secs(10), "the nap takes twenty");
    Ok(())
}
