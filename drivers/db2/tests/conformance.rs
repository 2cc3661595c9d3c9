//! The shared suite over IBM's client, on a server that speaks Db2's protocol and is not Db2.

use tacho_testkit::conformance;
use tacho_testkit::derby::Derby;

#[test]
fn it_conforms() {
    let Some(derby) = Derby::start_if_there() else { return };
    let driver = tacho_driver_db2::driver();
    conformance::run_on_relative(&*driver, &derby.target());
}
