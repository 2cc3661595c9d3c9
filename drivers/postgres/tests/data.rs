//! Round-trip tests for values of every size and shape.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Access, Form, StatementId};
use tacho_testkit::conformance::{Bench, statement, tables};
use tacho_testkit::live::ManyRows;

use crate::common::{database, driver, enter, exchange, rows, server};

const ECHO: &str = "-- name: echo(s text) -> (s text)\nSELECT :s::text
-- name: number(d decimal(2)) -> (d decimal(2), wide decimal(4), text text)
SELECT :d::numeric, :d::numeric, (:d::numeric)::text
-- name: big(n int) -> (n int, sum int, cents decimal(2))
SELECT :n::bigint, sum(v), :n::bigint FROM (VALUES (:n::bigint)) AS t (v)";
const TEXT: StatementId = StatementId(0);
const NUMBER: StatementId = StatementId(1);
const BIG: StatementId = StatementId(2);

#[test]
fn decimals_are_exact() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &server().target());
    let mut exchange = exchange(&bench, ECHO, Form::Sql)?;
    let table = [
        (0, "0.00"),
        (1, "0.01"),
        (-1, "-0.01"),
        (99, "0.99"),
        (1_000_000, "10000.00"),
        (-123_456_789, "-1234567.89"),
        (92_233_720_368_547_758, "922337203685477.58"),
    ];
    for (cents, text) in table {
        exchange.execute(NUMBER).decimal(cents);
        let row = format!("{cents}e {}e '{text}'", cents * 100);
        assert_eq!(bench.send(&mut exchange)?[0].0, [row]);
    }
    // Multiplied by one hundred, the value no longer fits into 64 bits.
    exchange.execute(NUMBER).decimal(i64::MAX);
    assert_eq!(bench.send(&mut exchange).expect_err("overflow").kind(), ErrorKind::Protocol);
    exchange.execute(BIG).int(-5);
    assert_eq!(bench.send(&mut exchange)?[0].0, ["-5 -5 -500e"]);
    Ok(())
}

#[test]
fn rejects_inexact_numbers() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &server().target());
    let values = ["'NaN'::numeric", "0.125", "1e20", "-1e17", "1::numeric / 3"];
    let time = "-- name: t() -> (t time)\nSELECT 'infinity'::timestamptz\n";
    let decimal = |value: &str| format!("-- name: x() -> (d decimal(2))\nSELECT {value}");
    for sql in values.iter().map(|value| decimal(value)).chain([time.to_owned()]) {
        let mut exchange = exchange(&bench, &sql, Form::Sql)?;
        let error = rows(&bench, &mut exchange, 0).expect_err(&sql);
        assert_eq!(error.kind(), ErrorKind::Protocol, "{sql}: {error}");
        exchange.execute(StatementId(0));
        assert!(bench.send(&mut exchange).is_err(), "the session goes on");
    }
    Ok(())
}

#[test]
fn a_parameter_out_of_range_sends_nothing() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("ranges"));
    bench.reset()?;
    let mut exchange = bench.exchange(Form::Pipelined)?;
    exchange.execute(statement::INSERT).int(1).null().null().null().null();
    exchange.execute(statement::INSERT).int(1 << 40).null().null().null().null();
    let error = bench.send(&mut exchange).expect_err("no integer");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().starts_with("cannot run insert: "), "{error}");
    exchange.execute(statement::TOTALS);
    assert_eq!(bench.send(&mut exchange)?[0].0, ["0 NULL"]);
    Ok(())
}

#[test]
fn large_texts_round_trip() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for target in [server().target(), server().tcp_target()] {
        let bench = Bench::new(&*driver, &target);
        let mut exchange = exchange(&bench, ECHO, Form::Pipelined)?;
        for size in [0, 1, 2_000, 2_048, 65_536, 1 << 20, 3, 10 << 20] {
            let text: Vec<u8> = (0..size).map(|at| b'a' + (at % 23) as u8).collect();
            exchange.execute(TEXT).text(&text);
            exchange.execute(TEXT).text(b"after");
            bench.wait(exchange.send())?;
            assert!(exchange.reply().one(0)?.text(0)? == text, "{size} bytes");
            assert_eq!(exchange.reply().one(1)?.text(0)?, b"after");
        }
    }
    Ok(())
}

/// Sends ten megabytes in each direction. Neither side can buffer this much while the other one is not reading.
#[test]
fn a_long_pipeline_does_not_block_itself() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for target in [server().target(), server().tcp_target()] {
        let bench = Bench::new(&*driver, &target);
        let mut exchange = exchange(&bench, ECHO, Form::Pipelined)?;
        for _ in 0..3 {
            exchange.begin(Access::Write);
            for number in 0..1_000_u16 {
                exchange.execute(TEXT).text(&[b'0' + (number % 10) as u8; 10_000]);
            }
            exchange.commit();
            bench.wait(exchange.send())?;
            for number in 0..1_000_u16 {
                let row = exchange.reply().one(usize::from(number))?;
                assert!(row.text(0)? == [b'0' + (number % 10) as u8; 10_000], "{number}");
            }
        }
        assert_eq!(exchange.traffic().round_trips, 3);
    }
    Ok(())
}

const ROWS: i64 = 100_000;

#[test]
fn many_rows_are_loaded() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("loads"));
    bench.reset()?;
    let mut session = bench.session()?;
    let table = &tables()[0];
    let spoiled = bench.wait(session.load(table, &mut ManyRows::spoiled(ROWS)));
    assert_eq!(spoiled.expect_err("a key that is no integer").kind(), ErrorKind::Usage);
    assert_eq!(bench.totals()?, ["0 NULL"]);
    let loaded = bench.wait(session.load(table, &mut ManyRows::sound(ROWS)))?;
    assert_eq!(loaded, ROWS as u64);
    assert_eq!(bench.totals()?, [ManyRows::totals(ROWS)]);
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.execute(statement::READ).int(ROWS - 1);
    let expected = "-99999 399993e 'naïve' 99999000000us";
    assert_eq!(bench.send(&mut exchange)?[0].0, [expected]);
    // The server rejects the first row while the last rows are still being generated.
    let error = bench.wait(session.load(table, &mut ManyRows::sound(ROWS)));
    assert_eq!(error.expect_err("the same keys").kind(), ErrorKind::UniqueViolation);
    bench.wait(session.close())
}

#[test]
fn facts_show_what_was_set() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let options = "&options=-c%20synchronous_commit=off";
    let bench = Bench::new(&*driver, &format!("{}{options}", server().target()));
    let facts = bench.wait(bench.session()?.inspector().facts())?;
    assert!(facts.version.starts_with("PostgreSQL 1"), "{}", facts.version);
    let expected = [
        ("transport", "unix socket", false),
        ("fsync", "off", true),
        ("synchronous_commit", "off", true),
        ("full_page_writes", "off", true),
        ("max_connections", "50", false),
        ("shared_buffers", "64MB", false),
        ("database encoding", "UTF8", false),
        ("database collation", "C", false),
    ];
    for (name, value, risky) in expected {
        let setting = facts.settings.iter().find(|setting| setting.name == name).expect(name);
        let found = (setting.value.as_str(), setting.durability_risk.is_some());
        assert_eq!(found, (value, risky), "{name}");
    }
    let default = |name: &str| {
        facts
            .settings
            .iter()
            .find(|setting| setting.name == name)
            .and_then(|setting| setting.default.clone())
    };
    let expected = [("shared_buffers", "128MB"), ("fsync", "on"), ("max_connections", "100")];
    for (name, value) in expected {
        assert_eq!(default(name).as_deref(), Some(value), "{name} if nobody sets it");
    }
    assert_eq!(default("database encoding"), None);
    Ok(())
}
