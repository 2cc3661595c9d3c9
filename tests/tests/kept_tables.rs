//! Table storage options on MariaDB and MySQL. Unsupported options are rejected before any table is created.

use tacho_testkit::servers::{Kind, MariaDb, MySql, Options, TestServer};
use tacho_tests::Folder;

fn is_refused_and_leaves_nothing<K: Kind>(server: &TestServer<K>) {
    let folder = Folder::new();
    let place = format!("tprocc '{}'", server.target());
    let cases = [
        (
            "--set engine=MyISAM",
            "does not support transactions",
            "available engines that support transactions: InnoDB",
        ),
        ("--storage engine=HeatWave", "HeatWave is not available", "HeatWave cluster"),
        (
            "--storage engine=Fast",
            "does not have the Fast engine",
            "available engines that support transactions: InnoDB",
        ),
        ("--set 'engine=a b'", "invalid value for engine", "a single word"),
        ("--set unlogged=true", "unlogged is not supported", "omit the parameter unlogged"),
        (
            "--storage speed=high",
            "speed is not supported",
            "--storage options: partitions, history_pk, engine",
        ),
        ("--storage unlogged=maybe", "invalid value for unlogged", "true or false"),
        ("--storage history_pk=true --storage unlogged=true", "unlogged is not supported", "omit"),
        ("--storage engine=Aria --set engine=InnoDB", "contradicts", "specify it once"),
    ];
    for (options, text, hint) in cases {
        let failed = folder.tacho(&format!("prepare {place} {options}")).exits(2);
        failed.is_error().complains(&[text, hint]);
        assert!(!failed.err.contains("SEQUENCE"), "an engine that keeps nothing: {}", failed.err);
    }
    let place = format!("'{}'", server.target());
    let failed = folder.tacho(&format!("prepare tpcb {place} --storage partitions=4")).exits(2);
    failed.is_error().complains(&["--storage partitions=4 is not supported by the workload"]);
    assert_eq!(server.client("SHOW TABLES").expect("no tables").trim(), "");
}

#[test]
fn mariadb_refuses_what_it_does_not_have() {
    let server = MariaDb::start().expect("a MariaDB server");
    is_refused_and_leaves_nothing(&server);
}

#[test]
fn mysql_refuses_what_it_does_not_have() {
    let server = MySql::start_if_there(Options::default()).expect("a MySQL server or none");
    let Some(server) = server else { return };
    is_refused_and_leaves_nothing(&server);
    // If the server requires primary keys, the command fails with a hint, unless an option gives
    // the history table a key.
    server.client("SET GLOBAL sql_require_primary_key = ON").expect("a setting");
    let folder = Folder::new();
    let failed = folder.tacho(&format!("prepare tprocc '{}'", server.target())).exits(2);
    let text = "sql_require_primary_key is on, but history has no primary key";
    failed.is_error().complains(&[text, "--set history_pk=true"]);
    let place = format!("tprocc '{}' --storage history_pk=true", server.target());
    folder.tacho(&format!("prepare {place} --profile hammerdb")).exits(0);
    folder.tacho(&format!("run {place} -d 1s --ramp-up 0s --form procedures")).exits(0);
}
