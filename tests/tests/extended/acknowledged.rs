//! Tests which acknowledged commits may be missing after a failover and after a crash of MariaDB.

use crate::acknowledged::{TPCB, crashes, fails_over};
use crate::live::{at, server_with};
use tacho_testkit::servers::{MariaDb, Options, Postgres};

#[test]
fn a_crash_of_mariadb_loses_what_the_settings_allow_and_no_more() {
    let settings = &[
        ("innodb-flush-log-at-trx-commit", "1"),
        ("innodb-flush-log-at-timeout", "60"),
        ("innodb-buffer-pool-size", "512M"),
        ("innodb-log-buffer-size", "128M"),
    ];
    let mut server: MariaDb = server_with(TPCB, Options { settings, ..Options::default() });
    let target = at(&server, "data");
    crashes(&mut server, (&target, &["sql"]), |server| {
        server.client("SET GLOBAL innodb_flush_log_at_trx_commit = 0").expect("a setting");
    });
}

#[test]
fn a_failover_loses_what_the_replica_had_not_received() {
    let products: [((&str, &str), &[&str]); 2] = [
        (
            ("postgres", "pg"),
            &[
                "ALTER SYSTEM SET primary_conninfo = ''",
                "DO $$ BEGIN PERFORM pg_reload_conf(); END $$",
            ],
        ),
        (("mariadb", "maria"), &["STOP SLAVE IO_THREAD"]),
    ];
    for (product, cut) in products {
        let (lost, difference) = fails_over(product, "async", cut);
        assert!(lost > 0, "{product:?}");
        assert_eq!(difference, 0, "the lost ones are those that the replica has not");
        assert_eq!(fails_over(product, "sync", &[]), (0, 0), "{product:?}");
    }
}

#[test]
fn a_crash_loses_what_the_settings_allow_and_no_more() {
    // With these settings, the server keeps its log in memory for ten seconds. The cache is so large that no page has
    // to be evicted, which would write the log earlier.
    let settings = &[
        ("shared_buffers", "256MB"),
        ("autovacuum", "off"),
        ("checkpoint_timeout", "1h"),
        ("wal_writer_delay", "10s"),
        ("wal_writer_flush_after", "2GB"),
        ("wal_buffers", "64MB"),
        ("bgwriter_lru_maxpages", "0"),
    ];
    let mut server: Postgres = server_with(TPCB, Options { settings, ..Options::default() });
    let target = format!("postgres://postgres@127.0.0.1:{}/data", server.port());
    crashes(&mut server, (&target, &["sql", "pipelined", "simple"]), |server| {
        let flush = |word: &str| {
            let setting = format!("ALTER SYSTEM SET synchronous_commit = {word}");
            server.client(&setting).expect("a setting");
        };
        flush("off");
        server.client("SELECT pg_reload_conf()").expect("a reload");
        // The server reads this setting when it is started again.
        flush("on");
    });
}
