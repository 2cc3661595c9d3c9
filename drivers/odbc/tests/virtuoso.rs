//! Runs the shared test suite in standard SQL on a database that Tacho does not know, through that database's ODBC
//! driver.

mod common;

use tacho_core::Result;
use tacho_testkit::virtuoso::Virtuoso;
use tacho_testkit::{conformance, live};

#[test]
fn opens_and_closes_without_a_dialect() -> Result<()> {
    let Some(server) = Virtuoso::start_if_there() else { return Ok(()) };
    let place = format!("odbc:{}&password=bench", server.place());
    let driver = common::driver(&place)?;
    live::visit(&*driver, &place)?;
    let bench = conformance::Bench::new(&*driver, &place);
    let facts = bench.wait(bench.session()?.inspector().facts())?;
    assert!(facts.version.contains("Virtuoso"), "{}", facts.version);
    assert_eq!(bench.wait(bench.session()?.inspector().tables())?, Vec::<String>::new());
    Ok(())
}
