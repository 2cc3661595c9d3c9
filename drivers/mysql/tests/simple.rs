//! Tests of statements that are sent as text. The server prepares none of them, and its settings do not change their
//! values.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Access, Exchange, Form, StatementId};
use tacho_testkit::conformance::Bench;

use crate::common::{driver, enter, eventually, exchange, places, quiet, rows};

const PREPARED: &str = "-- name: prepared() -> (name text, value text)
SHOW SESSION STATUS LIKE 'Com_stmt_prepare'
-- name: kept() -> (name text, value text)
SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'
-- name: echo(n int, s text) -> (n int, s text)
SELECT CAST(:n AS SIGNED), CAST(:s AS CHAR)";
const ECHO: StatementId = StatementId(2);

#[test]
fn nothing_is_prepared() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in quiet().places() {
        let bench = Bench::new(&*driver, &place.database("simple"));
        let mut prepared = exchange(&bench, PREPARED, Form::Sql)?;
        assert_eq!(rows(&bench, &mut prepared, 0)?, ["'Com_stmt_prepare' '3'"]);
        // The count also includes statements of earlier sessions that the server has not closed yet.
        eventually("a count of our own statements", || {
            rows(&bench, &mut prepared, 1).expect("a count") == ["'Prepared_stmt_count' '3'"]
        });
        // When the statement form changes, the session closes the statements that it prepared for the previous form.
        let session = prepared.into_session();
        let catalog = bench.catalog(PREPARED)?;
        let mut earlier = bench.wait(Exchange::new(session, catalog, Form::Simple))?;
        assert_eq!(rows(&bench, &mut earlier, 1)?, ["'Prepared_stmt_count' '0'"]);
        let mut exchange = exchange(&bench, PREPARED, Form::Simple)?;
        exchange.begin(Access::Write);
        exchange.execute(ECHO).int(-7).text(b"it's");
        exchange.commit();
        assert_eq!(bench.send(&mut exchange)?[0].0, ["-7 'it's'"]);
        assert_eq!(exchange.traffic().round_trips, 3);
        assert_eq!(rows(&bench, &mut exchange, 0)?, ["'Com_stmt_prepare' '0'"]);
    }
    Ok(())
}

#[test]
fn settings_of_the_server_change_no_value() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("simple"));
        for mode in ["", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES,PIPES_AS_CONCAT"] {
            let mut exchange = exchange(&bench, PREPARED, Form::Simple)?;
            bench.wait(exchange.session().script(&format!("SET sql_mode = '{mode}'")))?;
            for text in [r"a\'b\\c", r"\", "\"it's\" || 'x'", "naïve 数 🦀"] {
                exchange.execute(ECHO).int(i64::MIN).text(text.as_bytes());
                let expected = format!("{} '{text}'", i64::MIN);
                assert_eq!(bench.send(&mut exchange)?[0].0, [expected], "{mode}");
            }
        }
    }
    Ok(())
}

/// A statement that is rejected when prepared is also rejected when sent as text.
#[test]
fn rejects_results_that_do_not_fit_the_signature() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let table = [
        ("() -> (d decimal(2))", "SELECT 0.125", ErrorKind::Protocol),
        ("() -> (d decimal(2))", "SELECT 1e0", ErrorKind::Syntax),
        ("() -> (n int)", "SELECT '5'", ErrorKind::Syntax),
        ("() -> (s text)", "SELECT 5", ErrorKind::Syntax),
        ("() -> (t time)", "SELECT CAST('11:00:00' AS TIME)", ErrorKind::Syntax),
        ("() -> (n int)", "SELECT 1, 2", ErrorKind::Syntax),
        ("() -> (n int)", "DO 0", ErrorKind::Syntax),
        ("() -> (n int)", "SELECT 1 FROM nowhere", ErrorKind::Missing),
    ];
    for place in places() {
        let bench = Bench::new(&*driver, &place.database("simple"));
        for (signature, sql, kind) in table {
            let text =
                format!("-- name: bad{signature}\n{sql}\n-- name: good() -> (n int)\nSELECT 7");
            let mut exchange = exchange(&bench, &text, Form::Simple)?;
            let error = rows(&bench, &mut exchange, 0).expect_err(sql);
            assert_eq!(error.kind(), kind, "{sql}: {error}");
            assert!(error.to_string().contains("bad"), "{error}");
            assert_eq!(rows(&bench, &mut exchange, 1)?, ["7"], "the session goes on after {sql}");
        }
    }
    Ok(())
}
