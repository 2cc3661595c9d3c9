//! The shared suite over the ODBC driver of one database. Each has a program of its own, since such drivers
//! change the locale of the process.

mod common;

use tacho_testkit::conformance;

#[test]
fn it_conforms() {
    let place = common::mariadb("suite");
    conformance::run(&*common::driver(&place), &place);
}
