//! Shared test helpers.

#![allow(dead_code, reason = "no test program uses everything")]

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Access, Driver, Exchange, Form, StatementId, Target};
use tacho_testkit::conformance::Bench;

/// Returns the driver for a data source. It uses the dialect of the product that the data source reports.
pub fn driver(place: &str) -> Result<Arc<dyn Driver>> {
    let known = [
        tacho_driver_sqlite::driver().into(),
        tacho_driver_postgres::driver().into(),
        tacho_driver_mysql::driver().into(),
    ];
    tacho_driver_odbc::over(&Target::parse(place)?, &known)
}

/// Starts a query that takes several minutes, and cancels it from another thread. The session must remain usable.
pub fn a_query_is_cancelled(place: &str, sleep: &str) -> Result<()> {
    let driver = driver(place)?;
    let bench = Bench::new(&*driver, place);
    let sql = format!("-- name: sleep() -> (n int)\n{sleep}\n-- name: one() -> (n int)\nSELECT 1");
    for form in [Form::Sql, Form::Simple] {
        let mut exchange =
            bench.wait(Exchange::new(bench.session()?, bench.catalog(&sql)?, form))?;
        exchange.begin(Access::Read);
        bench.send(&mut exchange)?;
        let cancels = bench.cancels.clone();
        let (say, over) = channel();
        let canceller = std::thread::spawn(move || {
            let mut count = 0;
            // Cancel repeatedly, because a cancellation has no effect if it arrives before the query has started.
            while over.recv_timeout(Duration::from_millis(50)) == Err(RecvTimeoutError::Timeout) {
                let running = cancels.running();
                count += u32::from(!running.is_empty());
                running.cancel();
            }
            count
        });
        exchange.execute(StatementId(0));
        let error = bench.send(&mut exchange).expect_err("it is cancelled");
        assert!(say.send(()).is_ok());
        assert!(canceller.join().expect("a thread") > 0, "{form:?}");
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{form:?}: {error}");
        exchange.rollback();
        bench.send(&mut exchange)?;
        exchange.execute(StatementId(1));
        assert_eq!(bench.send(&mut exchange)?.remove(0).0, ["1"]);
    }
    Ok(())
}

/// Checks that a statement fails when it exceeds the time limit in the target.
pub fn a_query_has_a_limit(place: &str, sleep: &str) -> Result<()> {
    let place = format!("{place}&query-timeout=1s");
    let driver = driver(&place)?;
    let bench = Bench::new(&*driver, &place);
    let sql = format!("-- name: sleep() -> (n int)\n{sleep}");
    let mut exchange =
        bench.wait(Exchange::new(bench.session()?, bench.catalog(&sql)?, Form::Sql))?;
    exchange.execute(StatementId(0));
    let error = bench.send(&mut exchange).expect_err("it takes too long");
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    Ok(())
}
