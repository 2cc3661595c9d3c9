//! Runs the shared test suite on both products, over a Unix socket and over TCP with and without TLS.

use crate::common;
use tacho_testkit::conformance;

#[test]
fn conformance_over_every_transport() {
    let _inside = common::enter();
    for place in common::places() {
        // MySQL cannot prepare a statement and its COMMIT as one block.
        let run = match place.scheme {
            "mysql" => conformance::run_with_doubt,
            _ => conformance::run,
        };
        let plain = format!("{}&ssl-mode=disabled", place.tcp_database("suite"));
        for target in [place.database("suite"), place.tcp_database("suite"), plain] {
            run(&*common::driver(), &target);
        }
    }
}
