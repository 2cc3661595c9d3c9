//! Runs the shared test suite if the library is available.

use tacho_testkit::{conformance, library};

#[test]
fn conformance_in_every_setting() {
    let Some(library) = library::duckdb() else { return };
    for options in ["", "&threads=1&memory_limit=512MB"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("suite.db");
        let place = format!("duckdb:{}?library={}{options}", file.display(), library.display());
        conformance::run(&*tacho_driver_duckdb::driver(), &place);
        let left: Vec<_> = folder.path().read_dir().expect("the folder").collect();
        assert_eq!(left.len(), 1, "sessions leave only the database: {left:?}");
    }
}
