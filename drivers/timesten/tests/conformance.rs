//! Runs the shared test suite on a TimesTen server that the user specifies. Without a server, tests the error for a
//! missing library.
//!
//! A process looks for the library only once, so a single process cannot test both cases.

#![expect(clippy::disallowed_methods, reason = "the variable is for owners of a server")]

use tacho_core::ErrorKind;
use tacho_testkit::conformance::{self, Bench};

/// Tests cannot start a TimesTen server, because no package registry offers TimesTen.
#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the results must know")]
fn conforms_or_names_the_missing_library() {
    let driver = tacho_driver_timesten::driver();
    if let Ok(target) = std::env::var("TACHO_TEST_TIMESTEN") {
        return conformance::run(&*driver, &target);
    }
    eprintln!(
        "NOT TESTED: the driver timesten on a live server; hint: TACHO_TEST_TIMESTEN=timesten://USER:PASSWORD@HOST/DSN"
    );
    let place = "timesten://me@127.0.0.1:1/x?library=/no/such/libttclient.so";
    let error = Bench::new(&*driver, place).session().err().expect("no library");
    assert_eq!(error.kind(), ErrorKind::Missing, "{error}");
    assert!(error.to_string().contains("/no/such/libttclient.so"), "{error}");
    assert!(error.hints().iter().any(|hint| hint.contains("ttenv")), "{error}");
}
