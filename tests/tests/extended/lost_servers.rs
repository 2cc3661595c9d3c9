//! MariaDB and PostgreSQL servers that are lost during a run.

use crate::live::proxy::Proxy;
use crate::live::{TPROCC, measuring, server_with};
use crate::lost_servers::{
    RECONNECT, a_silent_link, copy, crashes, loses_commits, mariadb, mariadb_at, never_comes_back,
    postgres, tells_what_was_lost,
};
use tacho_testkit::servers::{MariaDb, Options, Postgres};
use tacho_tests::Folder;

#[test]
fn commits_that_mariadb_lost_in_a_crash_are_missed() {
    let settings =
        // With these settings, the server keeps its log in memory for a minute. The cache is so large that no page has
        // to be evicted, which would write the log earlier.
        &[
            ("innodb-flush-log-at-trx-commit", "1"),
            ("innodb-flush-log-at-timeout", "60"),
            ("innodb-buffer-pool-size", "512M"),
            ("innodb-log-buffer-size", "128M"),
        ];
    let mut server: MariaDb = server_with(TPROCC, Options { settings, ..Options::default() });
    let (target, folder) = (mariadb(&server, "data"), Folder::new());
    loses_commits(
        &mut server,
        (&folder, 6, "innodb_flush_log_at_trx_commit changed to 1"),
        |server| {
            server.client("SET GLOBAL innodb_flush_log_at_trx_commit = 0").expect("a setting");
            let run = format!("run tprocc '{target}' -c 4 -d 12s {RECONNECT}");
            measuring(folder.tacho(&run))
        },
    );
}

#[test]
fn a_mariadb_server_that_never_comes_back_makes_a_run_invalid() {
    let server: MariaDb = server_with(TPROCC, Options::default());
    let target = mariadb(&server, "data");
    never_comes_back(server, &target);
}

#[test]
fn a_link_to_mariadb_that_drops_without_a_word_holds_nobody_up() {
    let server: MariaDb = server_with(TPROCC, Options::default());
    a_silent_link(&|| {
        let proxy = Proxy::start(server.port(), i64::MAX);
        (mariadb_at(&server, proxy.port(), "data"), Box::new(move || proxy.freeze()))
    });
}

#[test]
fn a_postgres_server_that_never_comes_back_makes_a_run_invalid() {
    let server: Postgres = server_with(TPROCC, Options::default());
    let target = postgres(&server, "data");
    never_comes_back(server, &target);
}

#[test]
fn a_link_to_postgres_that_drops_without_a_word_holds_nobody_up() {
    let server: Postgres = server_with(TPROCC, Options::default());
    a_silent_link(&|| {
        let proxy = Proxy::start(server.port(), i64::MAX);
        let target = format!("postgres://postgres@127.0.0.1:{}/data", proxy.port());
        (target, Box::new(move || proxy.freeze()))
    });
}

#[test]
fn an_older_data_directory_is_missed_too() {
    let mut server: Postgres = server_with(TPROCC, Options::default());
    let (target, folder) = (postgres(&server, "data"), Folder::new());
    server.stop();
    copy(&server, "data", "older");
    server.restart().expect("the server again");
    folder
        .tacho(&format!(
            "run tprocc '{target}' -c 4 --transactions 12000 --ramp-up 0s --check none"
        ))
        .done();
    let run = measuring(folder.tacho(&format!("run tprocc '{target}' -c 4 -d 8s {RECONNECT}")));
    let done = crashes(&mut server, run, |server| copy(server, "older", "data"));
    let result = tells_what_was_lost(&folder, &done);
    let told = result["notices"].to_string();
    assert!(told.contains("the data is older than the run: its counter fell"), "{told}");
}

#[test]
fn commits_that_postgres_lost_in_a_crash_are_missed() {
    // With these settings, the server keeps its log in memory for ten seconds. The cache is so large that no page has
    // to be evicted, which would write the log earlier.
    let settings = &[
        ("shared_buffers", "512MB"),
        ("autovacuum", "off"),
        ("checkpoint_timeout", "1h"),
        ("max_wal_size", "4GB"),
        ("wal_writer_delay", "10s"),
        ("wal_writer_flush_after", "2GB"),
        ("wal_buffers", "64MB"),
        ("bgwriter_lru_maxpages", "0"),
    ];
    let mut server: Postgres = server_with(TPROCC, Options { settings, ..Options::default() });
    let (target, folder) = (postgres(&server, "data"), Folder::new());
    loses_commits(&mut server, (&folder, 6, "synchronous_commit changed to on"), |server| {
        server.client("ALTER SYSTEM SET synchronous_commit = off").expect("a setting");
        server.client("SELECT pg_reload_conf()").expect("a reload");
        let run = format!("run tprocc '{target}' -c 4 -d 10s {RECONNECT}");
        let run = measuring(folder.tacho(&run));
        // The server reads this setting only when it is started again.
        server.client("ALTER SYSTEM SET synchronous_commit = on").expect("a setting");
        run
    });
}
