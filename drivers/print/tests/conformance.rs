//! Runs the shared suite.

#[test]
fn conformance() {
    tacho_testkit::conformance::run(&*tacho_driver_print::driver(), "print");
}
