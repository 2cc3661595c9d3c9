//! Tests of servers that disappear or reject a request while it is in progress.

#![expect(clippy::disallowed_methods, reason = "faults come after a moment of real time")]

use std::thread;
use std::time::Duration;

use tacho_core::{ErrorKind, Result, Retry};
use tacho_driver::{Access, Exchange, Form, RowSource, StatementId, Values};
use tacho_testkit::conformance::{Bench, statement, tables};

use crate::common::{
    MariaDb, MySql, Options, Place, Servers, check, driver, enter, exchange, places, rows, setting,
    visit,
};

const SQL: &str = "-- name: nap() -> (n int)\nSELECT sleep(30)
-- name: id() -> (id int)\nSELECT connection_id()";
const NAP: StatementId = StatementId(0);
const ID: u16 = 1;

fn in_a_moment(act: impl FnOnce()) {
    thread::sleep(Duration::from_millis(300));
    act();
}

/// Checks how sessions behave when their server is killed. `kill` stops the server, and `restart` starts it again.
fn killed(place: &Place, kill: impl Fn() + Sync, restart: impl Fn() -> Result<()>) -> Result<()> {
    let driver = driver();
    for target in [place.database("tacho"), place.tcp_database("tacho")] {
        let bench = Bench::new(&*driver, &target);
        let mut napper = exchange(&bench, SQL, Form::Sql)?;
        let mut idler = bench.session()?;
        napper.execute(NAP);
        let error = thread::scope(|scope| {
            scope.spawn(|| in_a_moment(&kill));
            bench.send(&mut napper).expect_err("a killed server")
        });
        check(&error, ErrorKind::Connect, None, Retry::NewConnection);
        assert!(error.to_string().starts_with("cannot run nap: "), "{error}");
        let error = bench.wait(napper.reset()).expect_err("still lost");
        check(&error, ErrorKind::Connect, None, Retry::NewConnection);
        let error =
            bench.wait(idler.inspector().tables()).expect_err("an idle session is lost too");
        check(&error, ErrorKind::Connect, None, Retry::NewConnection);
        let error = visit(&target).expect_err("no server");
        check(&error, ErrorKind::Connect, None, Retry::NewConnection);
        restart()?;
        visit(&target)?;
    }
    Ok(())
}

#[test]
fn a_killed_server_is_noticed_and_found_again() -> Result<()> {
    let _inside = enter();
    let server = std::sync::Mutex::new(MariaDb::start()?);
    let held = || server.lock().expect("the server");
    let place = Place::of_mariadb(&held());
    killed(&place, || held().kill(), || held().restart())?;
    let Some(server) = MySql::start_if_there(Options::default())? else { return Ok(()) };
    let server = std::sync::Mutex::new(server);
    let held = || server.lock().expect("the server");
    let place = Place::of_mysql(&held());
    killed(&place, || held().kill(), || held().restart())
}

#[test]
fn a_killed_session_is_lost() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in places() {
        for target in [place.database("tacho"), place.tcp_database("tacho")] {
            let bench = Bench::new(&*driver, &target);
            for busy in [true, false] {
                let mut victim = exchange(&bench, SQL, Form::Sql)?;
                let id = rows(&bench, &mut victim, ID)?.remove(0);
                victim.execute(if busy { NAP } else { StatementId(ID) });
                let error = thread::scope(|scope| {
                    let ending = scope.spawn(|| {
                        let _inside = enter();
                        in_a_moment(|| bench.script(&format!("KILL {id}")).expect("an end"));
                    });
                    if !busy {
                        ending.join().expect("no panic");
                        thread::sleep(Duration::from_millis(300));
                    }
                    bench.send(&mut victim).expect_err("a killed session")
                });
                assert_eq!(error.kind(), ErrorKind::Connect, "{error:?}");
                assert_eq!(error.retry_class(), Retry::NewConnection, "{error:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_killed_statement_leaves_its_session() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let sql = "-- name: work() -> (n int)
SELECT count(*) FROM information_schema.columns a, information_schema.columns b, information_schema.columns c
-- name: id() -> (id int)\nSELECT connection_id()";
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("tacho"));
        let mut victim = exchange(&bench, sql, Form::Sql)?;
        let id = rows(&bench, &mut victim, ID)?.remove(0);
        victim.execute(NAP);
        let error = thread::scope(|scope| {
            scope.spawn(|| {
                let _inside = enter();
                in_a_moment(|| bench.script(&format!("KILL QUERY {id}")).expect("an end"));
            });
            bench.send(&mut victim).expect_err("a killed statement")
        });
        check(&error, ErrorKind::Cancelled, Some("1317"), Retry::Never);
        assert_eq!(rows(&bench, &mut victim, ID)?, [id]);
    }
    Ok(())
}

fn insert(exchange: &mut Exchange, id: i64) {
    exchange.execute(statement::INSERT).int(id).int(id).decimal(100).null().null();
}

/// After a lock timeout, the server keeps the transaction open, so Tacho has to roll it back before it can retry.
#[test]
fn lock_timeouts_can_be_retried() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in places() {
        let patience = "&init-command=SET%20innodb_lock_wait_timeout=1";
        let bench = Bench::new(&*driver, &format!("{}{patience}", place.database("locks")));
        bench.reset()?;
        let (mut holder, mut waiter) = (bench.exchange(Form::Sql)?, bench.exchange(Form::Sql)?);
        insert(&mut holder, 1);
        bench.send(&mut holder)?;
        holder.begin(Access::Write);
        holder.execute(statement::CHANGE).int(1).int(9);
        bench.send(&mut holder)?;
        waiter.begin(Access::Write);
        insert(&mut waiter, 0);
        waiter.execute(statement::CHANGE).int(1).int(8);
        let error = bench.send(&mut waiter).expect_err("a lock");
        check(&error, ErrorKind::LockTimeout, Some("1205"), Retry::SameConnection);
        assert!(error.hints()[0].contains("innodb_lock_wait_timeout"), "{:?}", error.hints());
        bench.wait(waiter.reset())?;
        holder.commit();
        bench.send(&mut holder)?;
        assert_eq!(bench.totals()?, ["1 100e"], "what was before the wait is gone too");
    }
    Ok(())
}

#[test]
fn deadlock_victims_can_be_retried() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("deadlocks"));
        bench.reset()?;
        let sql = "-- name: change(id int)\nUPDATE conformance SET n = n + 1 WHERE id = :id";
        let mut filler = bench.exchange(Form::Sql)?;
        insert(&mut filler, 1);
        insert(&mut filler, 2);
        bench.send(&mut filler)?;
        let mut pair = [exchange(&bench, sql, Form::Sql)?, exchange(&bench, sql, Form::Sql)?];
        for (one, id) in pair.iter_mut().zip([1, 2]) {
            one.begin(Access::Write);
            one.execute(StatementId(0)).int(id);
            bench.send(one)?;
        }
        let outcomes = thread::scope(|scope| {
            let cross = pair.iter_mut().zip([2, 1]).map(|(one, id)| {
                let bench = &bench;
                scope.spawn(move || {
                    let _inside = enter();
                    one.execute(StatementId(0)).int(id);
                    let outcome = bench.send(one).map(|_| ());
                    bench.wait(one.reset()).expect("a rollback");
                    outcome
                })
            });
            let cross: Vec<_> = cross.collect();
            cross.into_iter().map(|one| one.join().expect("no panic")).collect::<Vec<_>>()
        });
        let errors: Vec<_> = outcomes.into_iter().filter_map(Result::err).collect();
        assert_eq!(errors.len(), 1, "{errors:?}");
        check(&errors[0], ErrorKind::Deadlock, Some("1213"), Retry::SameConnection);
    }
    Ok(())
}

#[test]
fn reports_oversized_packets_with_the_limit() -> Result<()> {
    let _inside = enter();
    let options = Options { settings: &[("max-allowed-packet", "1M")], ..Options::default() };
    let servers = Servers::start_with(options)?;
    let driver = driver();
    for place in servers.places() {
        for target in [place.database("tacho"), place.tcp_database("tacho")] {
            let bench = Bench::new(&*driver, &target);
            let sql = "-- name: size(s text) -> (n int)\nSELECT length(:s)";
            let mut sender = exchange(&bench, sql, Form::Sql)?;
            sender.execute(StatementId(0)).text(&vec![b'x'; 1 << 21]);
            let error = bench.send(&mut sender).expect_err("a large packet");
            // The server may close the connection before the client has read the error, so there may be no error code.
            assert_eq!(error.retry_class(), Retry::NewConnection, "{error:?}");
            if let Some(code) = error.native_code() {
                assert_eq!(code, "1153", "{error:?}");
                assert!(error.hints()[0].contains("max_allowed_packet"), "{:?}", error.hints());
            }
            visit(&target)?;
        }
    }
    Ok(())
}

#[test]
fn a_server_that_only_reads_says_so() -> Result<()> {
    let _inside = enter();
    let options = Options { settings: &[("read-only", "1")], ..Options::default() };
    let servers = Servers::start_with(options)?;
    let driver = driver();
    for place in servers.places() {
        let admin = Bench::new(&*driver, &place.database("tacho"));
        admin.script("CREATE USER reader@'%'; GRANT ALL ON tacho.* TO reader@'%'")?;
        let target = place.tcp_as("reader");
        let error = Bench::new(&*driver, &target).script("CREATE TABLE t (a INT)");
        let error = error.expect_err("only reads");
        check(&error, ErrorKind::Auth, Some("1290"), Retry::Never);
        assert!(error.hints()[0].contains("read_only=OFF"), "{:?}", error.hints());
    }
    Ok(())
}

/// A row source that calls `half_way` after half of its rows.
struct Many<F: FnMut()> {
    next: i64,
    end: i64,
    half_way: F,
}

impl<F: FnMut() + Send> RowSource for Many<F> {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        if self.next == self.end {
            return 0;
        }
        for _ in 0..1_000 {
            rows.int(self.next);
            rows.int(1);
            rows.decimal(1);
            rows.text("a\\\t\n\0'\" ½".as_bytes());
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
    let server = std::sync::Mutex::new(MariaDb::start()?);
    let place = Place::of_mariadb(&server.lock().expect("the server"));
    for target in [place.database("loads"), place.tcp_database("loads")] {
        let bench = Bench::new(&*driver, &target);
        bench.reset()?;
        let mut session = bench.session()?;
        let half_way = || server.lock().expect("the server").kill();
        let mut rows = Many { next: 0, end: i64::MAX, half_way };
        let error = bench.wait(session.load(&tables()[0], &mut rows)).expect_err("a killed server");
        check(&error, ErrorKind::Connect, None, Retry::NewConnection);
        assert!(rows.next < 1_000_000, "it stops at once");
        server.lock().expect("the server").restart()?;
        assert_eq!(bench.totals()?, ["0 NULL"]);
    }
    Ok(())
}

/// Servers that do not accept row files from clients must get the same rows through INSERT.
#[test]
fn servers_that_load_no_rows_of_clients_get_inserts() -> Result<()> {
    let _inside = enter();
    let options = Options {
        settings: &[("local-infile", "0"), ("max-allowed-packet", "128K")],
        ..Options::default()
    };
    let servers = Servers::start_with(options)?;
    let driver = driver();
    let both = servers.places().into_iter().zip(places());
    let digest = "-- name: digest() -> (n int, crc int)
SELECT count(*), CAST(sum(crc32(concat_ws('|', id, n, d, hex(s), coalesce(t, '-')))) AS SIGNED) FROM conformance";
    for (without, with) in both {
        let found = [without, with].map(|place| {
            let bench = Bench::new(&*driver, &place.database("inserts"));
            bench.reset()?;
            let mut session = bench.session()?;
            for (first, end) in [(0, 3_000), (3_000, 4_000)] {
                let mut source = Many { next: first, end, half_way: || {} };
                let loaded = bench.wait(session.load(&tables()[0], &mut source))?;
                assert_eq!(loaded as i64, end - first);
            }
            let mut twice = Many { next: 2_000, end: 5_000, half_way: || {} };
            let error = bench.wait(session.load(&tables()[0], &mut twice)).expect_err("rows twice");
            check(&error, ErrorKind::UniqueViolation, Some("1062"), Retry::Never);
            let allowed = setting(&place.database("inserts"), "local_infile")?;
            let mut asked = exchange(&bench, digest, Form::Sql)?;
            Ok::<_, tacho_core::Error>((rows(&bench, &mut asked, 0)?, allowed))
        });
        let [without, with] = found;
        let (without, with) = (without?, with?);
        assert_eq!((&*without.1, &*with.1), ("OFF", "ON"));
        assert_eq!(without.0, with.0);
        assert!(with.0[0].starts_with("4000 "), "all or nothing: {with:?}");
    }
    Ok(())
}

/// An abandoned request must end its session. Otherwise, the next request would get the response to the abandoned one.
#[test]
fn an_abandoned_request_ends_the_session() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let place = places().remove(0);
    let bench = Bench::new(&*driver, &place.database("tacho"));
    let mut napper = exchange(&bench, SQL, Form::Sql)?;
    {
        let mut session = std::pin::pin!(napper.session().script("SELECT sleep(30)"));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(session.as_mut().poll(&mut context).is_pending());
    }
    let error = bench.wait(napper.inspector().tables()).expect_err("an abandoned request");
    check(&error, ErrorKind::Connect, None, Retry::NewConnection);
    napper.execute(StatementId(ID));
    assert!(bench.send(&mut napper).is_err());
    let mut napper = exchange(&bench, SQL, Form::Sql)?;
    napper.execute(NAP);
    {
        let mut send = std::pin::pin!(napper.send());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(send.as_mut().poll(&mut context).is_pending());
    }
    napper.execute(StatementId(ID));
    let error = bench.send(&mut napper).expect_err("an abandoned exchange");
    check(&error, ErrorKind::Connect, None, Retry::NewConnection);
    Ok(())
}
