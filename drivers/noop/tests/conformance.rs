//! Runs the shared test suite.

#[test]
fn conformance() {
    tacho_testkit::conformance::run(&*tacho_driver_noop::driver(), "noop");
}
