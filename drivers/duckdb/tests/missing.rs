//! Tests what happens if the library is missing. A process looks for the library only once, so this test needs its own
//! process.

use tacho_core::ErrorKind;
use tacho_testkit::conformance::Bench;

#[test]
fn a_missing_library_is_reported_with_instructions() {
    let driver = tacho_driver_duckdb::driver();
    let bench = Bench::new(&*driver, "duckdb:x.db?library=/no/such/libduckdb.so");
    for _ in 0..2 {
        let error = bench.session().err().expect("no library");
        assert_eq!(error.kind(), ErrorKind::Missing);
        assert!(error.to_string().contains("/no/such/libduckdb.so"), "{error}");
        assert!(error.hints().iter().any(|hint| hint.contains("node-bindings")), "{error:?}");
    }
}
