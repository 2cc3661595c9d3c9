//! Tests of the messages shown when a data source cannot be used.

mod common;

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Access, Form};
use tacho_testkit::conformance::{Bench, statement};
use tacho_testkit::data_source;
use tacho_testkit::servers::Postgres;

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
    exchange.execute(statement::TOTALS);
    let error = bench.send(&mut exchange).expect_err("no server");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    let error = bench.session().err().expect("no server");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    Ok(())
}

#[test]
fn reports_unavailable_data_sources_with_a_hint() {
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
