//! A server of MariaDB that is lost.

use crate::live::proxy::Proxy;
use crate::live::{TPROCC, measuring, server_with};
use crate::lost_servers::{
    RECONNECT, a_silent_link, loses_commits, mariadb, mariadb_at, never_comes_back,
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
    loses_commits(&mut own, (&folder, 6, "innodb_flush_log_at_trx_commit became 1"), |own| {
        own.client("SET GLOBAL innodb_flush_log_at_trx_commit = 0").expect("a setting");
        let run = format!("run tprocc '{target}' -c 4 -d 12s {RECONNECT}");
        measuring(folder.tacho(&run))
    });
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
