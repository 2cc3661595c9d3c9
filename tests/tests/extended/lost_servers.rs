//! A server of MariaDB that is lost.

use crate::live::proxy::Proxy;
use crate::live::{TPROCC, measuring, notices, server_with};
use crate::lost_servers::{
    RECONNECT, a_silent_link, crashes, mariadb, mariadb_at, never_comes_back, tells_what_was_lost,
};
use tacho_testkit::servers::{MariaDb, Options};
use tacho_tests::Folder;

#[test]
fn commits_that_mariadb_lost_in_a_crash_are_missed() {
    let settings =
        // Nothing is written to the log for a minute, also not because a changed page has to leave memory.
        &[
            ("innodb-flush-log-at-trx-commit", "1"),
            ("innodb-flush-log-at-timeout", "60"),
            ("innodb-buffer-pool-size", "512M"),
            ("innodb-log-buffer-size", "128M"),
        ];
    let mut own: MariaDb = server_with(TPROCC, Options { settings, ..Options::default() });
    let (target, folder) = (mariadb(&own, "data"), Folder::new());
    // The server may have written all of its log in the moment before the crash: then nothing is lost.
    let done = (0..3).find_map(|_| {
        own.client("SET GLOBAL innodb_flush_log_at_trx_commit = 0").expect("a setting");
        let run = format!("run tprocc '{target}' -c 4 -d 12s {RECONNECT}");
        let run = measuring(folder.tacho(&run));
        let done = crashes(&mut own, run, |_| {});
        let headline = &folder.record("latest")["result"]["headline"];
        let count = |name: &str| headline[name].as_u64();
        let lost = count("whole_run_schema_count") < count("whole_run_client_count");
        lost.then_some(done)
    });
    let done = done.expect("a crash that loses commits");
    let result = tells_what_was_lost(&folder, &done);
    assert!(notices(&result).contains(&"V09"), "{:?}", notices(&result));
    done.says(&["innodb_flush_log_at_trx_commit became 1"]);
}

#[test]
fn a_mariadb_server_that_never_comes_back_makes_a_run_invalid() {
    let own: MariaDb = server_with(TPROCC, Options::default());
    let target = mariadb(&own, "data");
    never_comes_back(own, &target);
}

#[test]
fn a_link_to_mariadb_that_drops_without_a_word_holds_nobody_up() {
    let own: MariaDb = server_with(TPROCC, Options::default());
    a_silent_link(&|| {
        let proxy = Proxy::start(own.port(), i64::MAX);
        (mariadb_at(&own, proxy.port(), "data"), Box::new(move || proxy.freeze()))
    });
}
