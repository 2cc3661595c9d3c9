//! Runs the shared test suite over a Unix socket and over TCP.

use crate::common;
use tacho_testkit::conformance;

#[test]
fn conformance_over_every_transport() {
    let _inside = common::enter();
    for target in [common::server().target(), common::server().tcp_target()] {
        conformance::run(&*common::driver(), &target);
    }
}
