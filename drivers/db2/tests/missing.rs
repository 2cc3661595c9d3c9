//! Tests a missing library. A process looks for the library only once, so this binary has a single test.

use tacho_core::ErrorKind;
use tacho_testkit::conformance::Bench;

#[test]
fn reports_a_missing_library_with_a_hint() {
    let driver = tacho_driver_db2::driver();
    let place = "db2://me@127.0.0.1:1/X?library=/no/such/libdb2.so";
    let error = Bench::new(&*driver, place).session().err().expect("no library");
    assert_eq!(error.kind(), ErrorKind::Missing, "{error}");
    assert!(error.to_string().contains("/no/such/libdb2.so"), "{error}");
    assert!(error.hints().iter().any(|hint| hint.contains("ibm_db")), "{error}");
}
