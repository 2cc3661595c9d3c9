//! PostgreSQL: every answer. The server is the test's own; if there are no binaries, it fails and
//! names the package.

mod common;

use common::{is_refreshed, is_right};
use tacho_core::Result;
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::{Options, Postgres};
use tokio::runtime::Builder;

#[test]
fn every_answer_is_right() -> Result<()> {
    let event_loop = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = event_loop.enter();
    let server = Postgres::start_with(Options::default());
    let server = server.unwrap_or_else(|error| panic!("{error}; {}", error.hints().join("; ")));
    let (driver, target) = (tacho_driver_postgres::driver(), server.target());
    let bench = Bench::new(&*driver, &target);
    is_right(&bench)?;
    is_refreshed(&bench)
}
