//! Runs the shared test suite with SQLite's ODBC driver.
//!
//! Each database has a test binary of its own, because its ODBC driver may change the locale of the process.

mod common;

use tacho_core::Result;
use tacho_testkit::{conformance, data_source};

#[test]
fn conforms() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let place = data_source::sqlite(&folder.path().join("suite.db"));
    conformance::run(&*common::driver(&place)?, &place);
    Ok(())
}
