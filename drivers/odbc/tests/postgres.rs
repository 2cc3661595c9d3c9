//! The shared suite over the ODBC driver of one database. Each has a program of its own, since such drivers
//! change the locale of the process.

mod common;

use tacho_core::ErrorKind;
use tacho_core::Result;
use tacho_driver::{Access, Form};
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::Postgres;
use tacho_testkit::{conformance, data_source};

#[test]
fn it_conforms() -> Result<()> {
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

/// More rows than come at once, and texts that come in pieces.
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
    let mut exchange = bench.wait(tacho_driver::Exchange::new(
        bench.session()?,
        bench.catalog(sql)?,
        Form::Sql,
    ))?;
    for count in [0, 1, 255, 256, 257, 10_000] {
        exchange.execute(tacho_driver::StatementId(0)).int(count);
        let rows = bench.send(&mut exchange)?.remove(0).0;
        assert_eq!(rows.len() as i64, count);
        assert_eq!(rows.last().cloned(), (count > 0).then(|| format!("{count} 'x{count}'")));
    }
    for length in [0, 1, 2_047, 2_048, 4_096, 100_000] {
        exchange.execute(tacho_driver::StatementId(1)).int(length);
        let rows = bench.send(&mut exchange)?.remove(0).0;
        assert_eq!(rows, [format!("1 '{}'", "数".repeat(length as usize))]);
    }
    Ok(())
}

#[test]
fn a_server_that_is_gone_is_a_lost_connection() -> Result<()> {
    let mut server = Postgres::start()?;
    let place = data_source::postgres(&server, "postgres");
    let driver = common::driver(&place)?;
    let bench = Bench::new(&*driver, &place);
    bench.reset()?;
    let mut exchange = bench.exchange(Form::Sql)?;
    exchange.begin(Access::Write);
    bench.send(&mut exchange)?;
    server.kill();
    exchange.execute(conformance::statement::TOTALS);
    let error = bench.send(&mut exchange).expect_err("no server");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    let error = bench.session().err().expect("no server");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    Ok(())
}

#[test]
fn what_cannot_be_opened_is_named_with_a_remedy() {
    let server = Postgres::shared();
    let place = data_source::postgres(server, "postgres");
    let cases = [
        ("odbc:no_such_source".into(), ErrorKind::Missing, "Data source name not found"),
        ("odbc:Driver=/no/such.so;Database=x".into(), ErrorKind::Missing, "/no/such.so"),
        (place.replace("=postgres?", "=absent?"), ErrorKind::Connect, "absent"),
        (place.replace("user=postgres", "user=nobody"), ErrorKind::Connect, "nobody"),
        (format!("{place}&dialect=klingon"), ErrorKind::Usage, "unknown dialect"),
    ];
    for (place, kind, text) in cases {
        let error = common::driver(&place).err().unwrap_or_else(|| panic!("{place} is opened"));
        assert_eq!(error.kind(), kind, "{place}: {error}");
        assert!(error.to_string().contains(text), "{place}: {error}");
        assert!(!error.hints().is_empty(), "{place}: {error}");
    }
}
