//! Tests of how the server's errors are reported.

use std::thread;

use tacho_core::{ErrorKind, Result, Retry};
use tacho_driver::{Access, Form, StatementId};
use tacho_testkit::conformance::{Bench, statement};

use crate::common::{check, database, driver, enter, exchange, rows};

const CHANGE: &str = "-- name: read() -> (n int)\nSELECT sum(n) FROM t
-- name: change(id int)\nUPDATE t SET n = n + 1 WHERE id = :id";
const READ: u16 = 0;
const WRITE: StatementId = StatementId(1);

#[test]
fn every_server_message_has_its_kind() {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("complaints"));
    let schema = "CREATE TABLE p (id int PRIMARY KEY, s varchar(3), n int CHECK (n < 9));
        CREATE TABLE c (id int NOT NULL REFERENCES p);
        INSERT INTO p VALUES (1, 'a', 1); CREATE ROLE guest";
    bench.script(schema).expect("the tables");
    let table = [
        ("SELEC 1", ErrorKind::Syntax, "42601"),
        ("SELECT * FROM absent", ErrorKind::Missing, "42P01"),
        ("SELECT absent FROM p", ErrorKind::Missing, "42703"),
        ("SELECT absent()", ErrorKind::Missing, "42883"),
        ("SELECT 1::absent", ErrorKind::Missing, "42704"),
        ("CREATE TABLE absent.t (a int)", ErrorKind::Missing, "3F000"),
        ("CREATE TABLE p (a int)", ErrorKind::Exists, "42P07"),
        ("INSERT INTO p VALUES (1)", ErrorKind::UniqueViolation, "23505"),
        ("INSERT INTO p VALUES (2, 'a', 10)", ErrorKind::Constraint, "23514"),
        ("INSERT INTO c VALUES (7)", ErrorKind::Constraint, "23503"),
        ("INSERT INTO c VALUES (NULL)", ErrorKind::Constraint, "23502"),
        ("INSERT INTO p VALUES (3, 'abcd')", ErrorKind::Constraint, "22001"),
        ("SELECT 70000::smallint", ErrorKind::Constraint, "22003"),
        ("SELECT 1 / 0", ErrorKind::Other, "22012"),
        ("SELECT count(*) FROM p FOR UPDATE", ErrorKind::Unsupported, "0A000"),
        ("BEGIN READ ONLY; DELETE FROM c", ErrorKind::Auth, "25006"),
        ("SET ROLE guest; SELECT * FROM p", ErrorKind::Auth, "42501"),
        ("SET statement_timeout = 20; SELECT pg_sleep(9)", ErrorKind::Timeout, "57014"),
        ("SELECT pg_cancel_backend(pg_backend_pid())", ErrorKind::Cancelled, "57014"),
        ("DO $$ BEGIN RAISE SQLSTATE '53100'; END $$", ErrorKind::Resource, "53100"),
        ("DO $$ BEGIN RAISE 'own words'; END $$", ErrorKind::Other, "P0001"),
        ("COPY p FROM STDIN", ErrorKind::Cancelled, "57014"),
    ];
    for (sql, kind, code) in table {
        let error = bench.script(sql).expect_err(sql);
        assert_eq!((error.kind(), error.native_code()), (kind, Some(code)), "{sql}: {error}");
        assert_ne!(error.retry_class(), Retry::NewConnection, "{sql}");
    }
}

#[test]
fn a_session_goes_on_after_an_error_in_a_script() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("scripts"));
    let mut session = bench.session()?;
    assert!(bench.wait(session.script("CREATE TABLE a (n int); SELEC 1")).is_err());
    assert!(bench.wait(session.inspector().tables())?.is_empty(), "a script is one transaction");
    bench.wait(session.script("CREATE TABLE a (n int); INSERT INTO a VALUES (1), (2)"))?;
    bench.wait(session.script(""))?;
    assert_eq!(bench.wait(session.inspector().tables())?, ["a"]);
    bench.wait(session.close())
}

#[test]
fn times_out_while_waiting_for_a_locked_row() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let target = database("locks");
    let bench = Bench::new(&*driver, &target);
    bench.script("CREATE TABLE t (id int, n int); INSERT INTO t VALUES (1, 0)")?;
    let mut first = exchange(&bench, CHANGE, Form::Pipelined)?;
    first.begin(Access::Write);
    first.execute(WRITE).int(1);
    bench.send(&mut first)?;
    let impatient = Bench::new(&*driver, &format!("{target}&options=-c%20lock_timeout=30"));
    let mut second = exchange(&impatient, CHANGE, Form::Pipelined)?;
    second.begin(Access::Write);
    second.execute(WRITE).int(1);
    let error = bench.send(&mut second).expect_err("a locked row");
    check(&error, ErrorKind::LockTimeout, Some("55P03"), Retry::SameConnection);
    assert!(error.to_string().starts_with("cannot run change: "), "{error}");
    bench.wait(second.reset())
}

#[test]
fn a_deadlock_has_one_victim() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let target = format!("{}&options=-c%20deadlock_timeout=50", database("deadlock"));
    let bench = Bench::new(&*driver, &target);
    bench.script("CREATE TABLE t (id int, n int); INSERT INTO t VALUES (1, 0), (2, 0)")?;
    let mut sessions = Vec::new();
    for id in [1, 2] {
        let mut session = exchange(&bench, CHANGE, Form::Pipelined)?;
        session.begin(Access::Write);
        session.execute(WRITE).int(id);
        bench.send(&mut session)?;
        session.execute(WRITE).int(3 - id);
        session.commit();
        sessions.push(session);
    }
    let mut outcomes: Vec<_> = thread::scope(|scope| {
        let send = |mut session| {
            let bench = &bench;
            scope.spawn(move || {
                let _inside = enter();
                bench.send(&mut session).map(|_| ())
            })
        };
        let threads: Vec<_> = sessions.drain(..).map(send).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    outcomes.sort_by_key(Result::is_err);
    assert!(outcomes[0].is_ok(), "{outcomes:?}");
    let error = outcomes.remove(1).expect_err("a victim");
    check(&error, ErrorKind::Deadlock, Some("40P01"), Retry::SameConnection);
    Ok(())
}

#[test]
fn the_isolation_level_is_the_one_asked_for() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let target = database("isolation");
    let plain = Bench::new(&*driver, &target);
    plain.script("CREATE TABLE t (id int, n int); INSERT INTO t VALUES (1, 0)")?;
    let levels = [("read-committed", false), ("repeatable-read", true), ("serializable", true)];
    for (level, conflicts) in levels {
        let bench = Bench::new(&*driver, &format!("{target}&isolation={level}"));
        let mut first = exchange(&bench, CHANGE, Form::Pipelined)?;
        let mut second = exchange(&bench, CHANGE, Form::Pipelined)?;
        first.begin(Access::Write);
        let before = rows(&bench, &mut first, READ)?;
        second.begin(Access::Write);
        second.execute(WRITE).int(1);
        second.commit();
        bench.send(&mut second)?;
        assert_eq!(rows(&bench, &mut first, READ)? == before, conflicts, "{level}");
        first.execute(WRITE).int(1);
        let outcome = bench.send(&mut first);
        assert_eq!(outcome.is_err(), conflicts, "{level}: {outcome:?}");
        if let Err(error) = outcome {
            check(&error, ErrorKind::Serialization, Some("40001"), Retry::SameConnection);
        }
        bench.wait(first.reset())?;
    }
    Ok(())
}

/// If a transaction has failed, the server still reports success for its COMMIT. Tacho must report an error.
#[test]
fn a_commit_that_rolls_back_is_no_success() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("hidden"));
    bench.reset()?;
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.begin(Access::Write);
    for _ in 0..2 {
        exchange.execute(statement::INSERT).int(1).null().null().null().null();
    }
    assert!(bench.send(&mut exchange).is_err(), "the same key twice");
    exchange.commit();
    let error = bench.send(&mut exchange).expect_err("nothing was committed");
    check(&error, ErrorKind::Other, None, Retry::Never);
    assert_eq!(bench.totals()?, ["0 NULL"]);
    Ok(())
}

#[test]
fn rejects_unsupported_signatures() {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("signatures"));
    let table = [
        ("-- name: x() -> (a int)\nSELECT 1, 2", "2 columns"),
        ("-- name: x()\nSELECT 1", "1 columns"),
        ("-- name: x() -> (a int)\nSET jit = on", "no rows"),
        ("-- name: x() -> (a int)\nSELECT 'a'::text", "column a has type Text"),
        ("-- name: x() -> (a decimal(2))\nSELECT 1.5::float8", "column a has type Double"),
        ("-- name: x() -> (a int)\nSELECT 1::float4", "column a has type Real"),
        ("-- name: x(a text) -> (b int)\nSELECT 1 + :a", "parameter a has type Int4"),
    ];
    for (sql, text) in table {
        let error = exchange(&bench, sql, Form::Sql).err().expect(sql);
        assert_eq!(error.kind(), ErrorKind::Syntax, "{sql}: {error}");
        assert!(error.to_string().contains(text), "{sql}: {error}");
        assert!(error.to_string().starts_with("cannot prepare x: "), "{error}");
    }
}
