//! Runs the shared suite.

use tacho_testkit::conformance;

#[test]
fn conformance() {
    let options = ["", "?spread=fixed&latency=0s", "?capacity=1&stall_every=10ms&stall=5ms"];
    for options in options {
        conformance::run(&*tacho_driver_sim::driver(), &format!("sim:{options}"));
    }
}
