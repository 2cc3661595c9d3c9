//! Tests for servers that disappear during a request.

#![expect(clippy::disallowed_methods, reason = "faults come after a moment of real time")]

use std::thread;
use std::time::Duration;

use tacho_core::{ErrorKind, Result, Retry};
use tacho_driver::{Form, RowSource, StatementId, Values};
use tacho_testkit::conformance::{Bench, tables};
use tacho_testkit::servers::Postgres;

use crate::common::{check, driver, enter, eventually, exchange, rows, server, visit};

const SQL: &str = "-- name: nap()\nSELECT pg_sleep(30)
-- name: pid() -> (pid int)\nSELECT pg_backend_pid()";
const NAP: StatementId = StatementId(0);
const PID: u16 = 1;

fn in_a_moment(act: impl FnOnce()) {
    thread::sleep(Duration::from_millis(200));
    act();
}

#[test]
fn a_killed_server_is_noticed_and_found_again() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let mut server = Postgres::start()?;
    for target in [server.target(), server.tcp_target()] {
        let bench = Bench::new(&*driver, &target);
        let mut napper = exchange(&bench, SQL, Form::Sql)?;
        let mut idler = bench.session()?;
        napper.execute(NAP);
        let error = thread::scope(|scope| {
            scope.spawn(|| in_a_moment(|| server.kill()));
            bench.send(&mut napper).expect_err("a killed server")
        });
        check(&error, ErrorKind::Connect, None, Retry::NewConnection);
        assert!(error.to_string().starts_with("cannot run nap: "), "{error}");
        let error = bench.wait(napper.reset()).expect_err("still lost");
        check(&error, ErrorKind::Connect, None, Retry::NewConnection);
        let error =
            bench.wait(idler.inspector().tables()).expect_err("an idle session is lost too");
        check(&error, ErrorKind::Connect, None, Retry::NewConnection);
        check(
            &visit(&target).expect_err("no server"),
            ErrorKind::Connect,
            None,
            Retry::NewConnection,
        );
        server.restart()?;
        visit(&target)?;
    }
    Ok(())
}

#[test]
fn terminated_sessions_report_the_reason() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for target in [server().target(), server().tcp_target()] {
        let bench = Bench::new(&*driver, &target);
        for busy in [true, false] {
            let mut victim = exchange(&bench, SQL, Form::Sql)?;
            let pid = rows(&bench, &mut victim, PID)?.remove(0);
            // Before version 14, `pg_terminate_backend` returns before the session has ended.
            let sql = format!(
                "DO $$ BEGIN
                    PERFORM pg_terminate_backend({pid});
                    WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid = {pid}) LOOP
                        PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
                    END LOOP;
                END $$"
            );
            victim.execute(if busy { NAP } else { StatementId(PID) });
            let error = thread::scope(|scope| {
                let ending = scope.spawn(|| {
                    let _inside = enter();
                    in_a_moment(|| bench.script(&sql).expect("another session ends it"));
                });
                if !busy {
                    ending.join().expect("no panic");
                }
                bench.send(&mut victim).expect_err("a terminated session")
            });
            check(&error, ErrorKind::Connect, Some("57P01"), Retry::NewConnection);
        }
    }
    Ok(())
}

#[test]
fn a_server_that_shuts_down_says_so() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let mut server = Postgres::start()?;
    let bench = Bench::new(&*driver, &server.target());
    let mut napper = exchange(&bench, SQL, Form::Sql)?;
    napper.execute(NAP);
    let error = thread::scope(|scope| {
        scope.spawn(|| in_a_moment(|| server.stop()));
        bench.send(&mut napper).expect_err("a server that stops")
    });
    check(&error, ErrorKind::Connect, Some("57P01"), Retry::NewConnection);
    Ok(())
}

/// An endless source of rows, so that a load keeps running until its server disappears.
struct Endless<F: FnMut()> {
    next: i64,
    half_way: F,
}

impl<F: FnMut() + Send> RowSource for Endless<F> {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        for _ in 0..1_000 {
            rows.int(self.next);
            rows.int(1);
            rows.decimal(1);
            rows.text(b"text");
            rows.null();
            self.next += 1;
        }
        if self.next == 50_000 {
            (self.half_way)();
        }
        1_000
    }
}

#[test]
fn a_load_ends_with_its_server() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let mut server = Postgres::start()?;
    let bench = Bench::new(&*driver, &server.target());
    bench.reset()?;
    let mut session = bench.session()?;
    let mut rows = Endless { next: 0, half_way: || server.kill() };
    let error = bench.wait(session.load(&tables()[0], &mut rows)).expect_err("a killed server");
    check(&error, ErrorKind::Connect, None, Retry::NewConnection);
    assert!(rows.next < 1_000_000, "it stops at once");
    server.restart()?;
    assert_eq!(bench.totals()?, ["0 NULL"]);
    Ok(())
}

/// If the work were not cancelled, the server would notice the lost client only at the end of the query.
#[test]
fn work_for_a_session_that_left_is_cancelled() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for target in [server().target(), server().tcp_target()] {
        let bench = Bench::new(&*driver, &target);
        let mut napper = exchange(&bench, SQL, Form::Sql)?;
        let pid = rows(&bench, &mut napper, PID)?.remove(0);
        napper.execute(NAP);
        {
            let mut send = std::pin::pin!(napper.send());
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            assert!(send.as_mut().poll(&mut context).is_pending());
        }
        let sql = format!(
            "-- name: naps() -> (found int)\nSELECT count(*) FROM pg_stat_activity \
             WHERE pid = {pid} AND state = 'active'"
        );
        let mut watcher = exchange(&bench, &sql, Form::Sql)?;
        eventually("the nap", || rows(&bench, &mut watcher, 0).expect("a count") == ["1"]);
        drop(napper);
        eventually("the end of it", || rows(&bench, &mut watcher, 0).expect("a count") == ["0"]);
    }
    Ok(())
}

/// A statement outside a transaction must also run at the isolation level, although there is no BEGIN that sets it.
#[test]
fn the_isolation_level_is_that_of_single_statements_too() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let sql = "-- name: level() -> (level text)\nSELECT current_setting('transaction_isolation')";
    for level in ["read-committed", "repeatable-read", "serializable"] {
        let bench = Bench::new(&*driver, &format!("{}&isolation={level}", server().target()));
        let mut single = exchange(&bench, sql, Form::Sql)?;
        let expected = format!("'{}'", level.replace('-', " "));
        assert_eq!(rows(&bench, &mut single, 0)?, [expected]);
    }
    Ok(())
}

/// The session must end. Otherwise, its next request would get the response to the abandoned one.
#[test]
fn an_abandoned_request_ends_the_session() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &server().target());
    let mut napper = exchange(&bench, SQL, Form::Sql)?;
    {
        let mut session = std::pin::pin!(napper.session().script("SELECT pg_sleep(30)"));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(session.as_mut().poll(&mut context).is_pending());
    }
    let error = bench.wait(napper.inspector().tables()).expect_err("an abandoned request");
    check(&error, ErrorKind::Connect, None, Retry::NewConnection);
    napper.execute(StatementId(PID));
    assert!(bench.send(&mut napper).is_err());
    Ok(())
}
