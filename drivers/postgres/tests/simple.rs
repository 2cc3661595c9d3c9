//! Tests of statements that are sent as text. The server must prepare none of them, and its settings must not change
//! values.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Form, StatementId};
use tacho_testkit::conformance::Bench;

use crate::common::{driver, enter, exchange, rows, server};

const PREPARED: &str = "-- name: prepared() -> (n int)
SELECT count(*) FROM pg_prepared_statements
-- name: echo(n int, s text) -> (n int, s text)
SELECT :n::bigint, :s::text";

#[test]
fn nothing_is_prepared() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &server().target());
    let mut prepared = exchange(&bench, PREPARED, Form::Sql)?;
    // The five statements on the server are BEGIN, COMMIT, ROLLBACK and the two statements of the catalog.
    assert_eq!(rows(&bench, &mut prepared, 0)?, ["5"]);
    // When the statement form changes, the session closes the statements that it prepared for the previous form.
    let session = prepared.into_session();
    let catalog = bench.catalog(PREPARED)?;
    let earlier = bench.wait(tacho_driver::Exchange::new(session, catalog, Form::Simple))?;
    for mut exchange in [exchange(&bench, PREPARED, Form::Simple)?, earlier] {
        exchange.begin(tacho_driver::Access::Write);
        exchange.execute(StatementId(1)).int(-7).text(b"it's");
        exchange.execute(StatementId(0));
        exchange.commit();
        let found = bench.send(&mut exchange)?;
        assert_eq!((&*found[0].0, &*found[1].0), (&["-7 'it's'".into()][..], &["0".into()][..]));
        assert_eq!(exchange.traffic().round_trips, 4);
    }
    Ok(())
}

#[test]
fn settings_of_the_server_change_no_value() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &server().target());
    let sql = "-- name: echo(s text, t time) -> (s text, zoned time, plain time, day time, yes int)
SELECT :s::text, :t::timestamptz, :t::timestamp, :t::date, (:t::date IS NOT NULL)";
    let micros = 1_700_000_000_123_456;
    for set in [
        "SET standard_conforming_strings = off",
        "SET timezone TO 'Asia/Kolkata'",
        "SET timezone TO 'America/St_Johns'",
    ] {
        let mut exchange = exchange(&bench, sql, Form::Simple)?;
        bench.wait(exchange.session().script(set))?;
        exchange.execute(StatementId(0)).text(br"a\'b\\c").time(micros);
        let day = micros - micros % 86_400_000_000;
        let expected = format!(r"'a\'b\\c' {micros}us {micros}us {day}us 1");
        assert_eq!(bench.send(&mut exchange)?[0].0, [expected], "{set}");
    }
    // Tacho sets the date format itself, so the role's default must have no effect.
    let german = bench.script("ALTER ROLE CURRENT_USER SET datestyle TO 'German, DMY'");
    german?;
    let mut exchange = exchange(&bench, sql, Form::Simple)?;
    bench.script("ALTER ROLE CURRENT_USER RESET datestyle")?;
    exchange.execute(StatementId(0)).text(b"").time(0);
    assert_eq!(bench.send(&mut exchange)?[0].0, ["'' 0us 0us 0us 1"]);
    Ok(())
}

/// A result that does not fit its signature must be rejected even if the statement is sent as text and not prepared.
#[test]
fn rejects_results_that_do_not_fit_the_signature() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &server().target());
    let table = [
        ("() -> (n int)", "SELECT 1::float4", ErrorKind::Syntax),
        ("() -> (n int)", "SELECT 0.5::float8", ErrorKind::Protocol),
        ("() -> (n int)", "SELECT 1, 2", ErrorKind::Syntax),
        ("()", "SELECT 1", ErrorKind::Syntax),
        ("() -> (n int)", "SET search_path TO public", ErrorKind::Syntax),
        ("() -> (n int)", "SELECT 0.5", ErrorKind::Protocol),
        ("() -> (t time)", "SELECT 'infinity'::timestamptz", ErrorKind::Protocol),
        ("() -> (n int)", "SELECT 1 FROM nowhere", ErrorKind::Missing),
    ];
    for (signature, sql, kind) in table {
        let text = format!("-- name: bad{signature}\n{sql}\n-- name: good() -> (n int)\nSELECT 7");
        let mut exchange = exchange(&bench, &text, Form::Simple)?;
        let error = rows(&bench, &mut exchange, 0).expect_err(sql);
        assert_eq!(error.kind(), kind, "{sql}: {error}");
        assert!(error.to_string().contains("bad"), "{error}");
        assert_eq!(rows(&bench, &mut exchange, 1)?, ["7"], "the session goes on after {sql}");
    }
    // Test a result of the type `void`, and a string with a zero byte, which the protocol cannot represent.
    let sql = "-- name: nothing()\nSELECT pg_sleep(0)\n-- name: echo(s text)\nSELECT :s::text";
    let mut exchange = exchange(&bench, sql, Form::Simple)?;
    assert!(rows(&bench, &mut exchange, 0)?.is_empty());
    exchange.execute(StatementId(1)).text(b"a\0b");
    assert_eq!(bench.send(&mut exchange).expect_err("a zero").kind(), ErrorKind::Usage);
    assert!(rows(&bench, &mut exchange, 0)?.is_empty());
    Ok(())
}
