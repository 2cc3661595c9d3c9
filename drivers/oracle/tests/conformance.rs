//! Runs the shared test suite on a server that the user specifies, because no package registry offers Oracle.

#![expect(clippy::disallowed_methods, reason = "the variable is for whoever has a server")]

use tacho_testkit::conformance;

#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn conforms() {
    match std::env::var("TACHO_TEST_ORACLE") {
        Ok(target) => conformance::run(&*tacho_driver_oracle::driver(), &target),
        Err(_) => eprintln!(
            "NOT TESTED: the driver oracle on a live server; hint: TACHO_TEST_ORACLE=oracle://USER:PASSWORD@HOST/SERVICE"
        ),
    }
}
