//! Runs the shared test suite in two journal modes, which use different locks, and with large pages.

use tacho_testkit::conformance;

#[test]
fn conformance_in_every_setting() {
    let options = ["", "?journal_mode=delete&synchronous=off", "?page_size=16384&cache_mb=1"];
    for options in options {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = format!("sqlite:{}{options}", folder.path().join("suite.db").display());
        conformance::run(&*tacho_driver_sqlite::driver(), &place);
        let left: Vec<_> = folder.path().read_dir().expect("the folder").collect();
        assert_eq!(left.len(), 1, "sessions leave only the database: {left:?}");
    }
}

/// All sessions set the journal mode of the new file at the same time, but SQLite permits only one change at a time.
/// All must succeed.
#[test]
fn sessions_may_open_a_new_file_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for round in 0..20 {
        let place = format!("sqlite:{}", folder.path().join(format!("{round}.db")).display());
        let open = || {
            let driver = tacho_driver_sqlite::driver();
            conformance::Bench::new(&*driver, &place).session().map(|_| ())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            for thread in threads {
                let opened = thread.join().expect("no panic");
                assert!(opened.is_ok(), "{opened:?}");
            }
        });
    }
}

#[test]
fn the_version_tested_is_the_one_built_in() {
    let tested = tacho_driver_sqlite::driver().manifest().tested;
    let built_in = tested.trim_end_matches(", built in");
    assert!(rusqlite::version().starts_with(built_in), "{} {tested}", rusqlite::version());
}
