//! The shared suite over the ODBC driver of one database. Each has a program of its own, since such drivers
//! change the locale of the process.

mod common;

use tacho_core::Result;
use tacho_testkit::{conformance, data_source};

#[test]
fn it_conforms() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let place = data_source::sqlite(&folder.path().join("suite.db"));
    conformance::run(&*common::driver(&place)?, &place);
    Ok(())
}
