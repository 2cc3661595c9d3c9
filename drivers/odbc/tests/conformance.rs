//! Runs the shared test suite with PostgreSQL's ODBC driver.
//!
//! Each database has a test binary of its own, because its ODBC driver may change the locale of the process.

mod common;

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Exchange, Form, StatementId};
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::Postgres;
use tacho_testkit::{conformance, data_source};

#[test]
fn conforms() -> Result<()> {
    let server = Postgres::shared();
    server.client("CREATE DATABASE suite")?;
    let place = data_source::postgres(server, "suite");
    conformance::run(&*common::driver(&place)?, &place);
    Ok(())
}

#[test]
fn texts_travel_as_bytes_if_asked() -> Result<()> {
    let server = Postgres::shared();
    server.client("CREATE DATABASE bytes")?;
    let place = format!("{}&text=bytes", data_source::postgres(server, "bytes"));
    conformance::run(&*common::driver(&place)?, &place);
    Ok(())
}

#[test]
fn a_query_is_cancelled_by_another_thread_or_by_its_limit() -> Result<()> {
    let server = Postgres::shared();
    let place = data_source::postgres(server, "postgres");
    let sleep = "SELECT 1 FROM pg_sleep(300)";
    common::a_query_is_cancelled(&place, sleep)?;
    common::a_query_has_a_limit(&place, sleep)
}

/// A floating-point sum is accepted, even if it differs slightly from the decimal value. The quotient 1/3 is rejected,
/// because no decimal with two places is close enough to it.
#[test]
fn floating_point_numbers_are_decimals() -> Result<()> {
    let server = Postgres::shared();
    let place = data_source::postgres(server, "postgres");
    let driver = common::driver(&place)?;
    let bench = Bench::new(&*driver, &place);
    let sql = "-- name: sum(n int) -> (d decimal(2), f decimal(1))\n\
               SELECT sum(0.1::float8), sum(0.5::float4) FROM generate_series(1, :n)\n\
               -- name: third() -> (d decimal(2))\nSELECT 1::float8 / 3\n\
               -- name: none() -> (d decimal(2))\nSELECT NULL::float8";
    let mut exchange =
        bench.wait(Exchange::new(bench.session()?, bench.catalog(sql)?, Form::Sql))?;
    exchange.execute(StatementId(0)).int(1_000_003);
    assert_eq!(bench.send(&mut exchange)?.remove(0).0, ["10000030e 5000015e"]);
    exchange.execute(StatementId(2));
    assert_eq!(bench.send(&mut exchange)?.remove(0).0, ["NULL"]);
    exchange.execute(StatementId(1));
    let error = bench.send(&mut exchange).expect_err("it is between two decimals");
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    Ok(())
}

/// Tests more rows than are fetched at a time, and strings so long that they arrive in several parts.
#[test]
fn long_results_come_whole() -> Result<()> {
    let server = Postgres::shared();
    server.client("CREATE DATABASE long")?;
    let place = data_source::postgres(server, "long");
    let driver = common::driver(&place)?;
    let bench = Bench::new(&*driver, &place);
    let sql = "-- name: many(n int) -> (n int, s text)\n\
               SELECT n, CAST('x' || n AS VARCHAR(20)) FROM generate_series(1, :n) AS all_of(n)\n\
               -- name: long(n int) -> (n int, s text)\n\
               SELECT 1, repeat('数', CAST(:n AS INTEGER))";
    let mut exchange =
        bench.wait(Exchange::new(bench.session()?, bench.catalog(sql)?, Form::Sql))?;
    for count in [0, 1, 255, 256, 257, 10_000] {
        exchange.execute(StatementId(0)).int(count);
        let rows = bench.send(&mut exchange)?.remove(0).0;
        assert_eq!(rows.len() as i64, count);
        assert_eq!(rows.last().cloned(), (count > 0).then(|| format!("{count} 'x{count}'")));
    }
    for length in [0, 1, 2_047, 2_048, 4_096, 100_000] {
        exchange.execute(StatementId(1)).int(length);
        let rows = bench.send(&mut exchange)?.remove(0).0;
        assert_eq!(rows, [format!("1 '{}'", "数".repeat(length as usize))]);
    }
    Ok(())
}
