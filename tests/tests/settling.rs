//! After a run, the server gets a limited time to finish its deferred work. Settings changed for
//! this are restored afterwards.

use crate::live::{TPROCC, at, server_with};
use tacho_testkit::servers::{Kind, MariaDbKind, Options, Postgres, TestServer};
use tacho_tests::Folder;

const SETTINGS: &str = "SHOW GLOBAL VARIABLES WHERE Variable_name LIKE 'innodb_purge_%' OR Variable_name \
                        LIKE 'innodb_io_capacity%' OR Variable_name LIKE 'innodb_max_dirty%' OR \
                        Variable_name LIKE 'innodb_lru_%'";

pub fn settles<K: Kind>(server: &TestServer<K>) {
    let folder = Folder::new();
    let place = format!("tprocc '{}'", at(server, "data"));
    let usual = server.client(SETTINGS).expect("settings");
    // Since version 11.6.2, MariaDB rejects a write to a row that another transaction has changed,
    // so failed transactions are retried.
    let run = format!("run {place} -c 4 -d 2s --ramp-up 0s --check none --retry same");
    let plain = folder.tacho(&format!("{run} --output json")).exits(0).json();
    assert_eq!(plain["result"]["settled"], serde_json::json!([]));

    let done = folder.tacho(&format!("{run} --settle 20s --output json")).done();
    let notices = done.json()["result"]["notices"].clone();
    assert!(done.code() == 0, "{notices}");
    let settled = done.json()["result"]["settled"].clone();
    let kinds = settled.as_array().expect("kinds of work");
    assert_eq!(kinds.len(), 2, "{settled}");
    for (kind, what) in
        kinds.iter().zip(["purge of old row versions", "write-back of changed pages"])
    {
        assert_eq!(kind["what"], what);
        assert!(kind["left"] == 0 || kind["ended_by"] != "done", "{kind}");
        assert!(kind["waited_s"].as_f64().expect("a time") < 30.0, "{kind}");
    }
    // While the command still waits for the purge of old row versions, an idle server may already write all changed
    // pages.
    let had_time = kinds[0]["waited_s"].as_f64() > Some(1.0);
    let before = kinds[1]["before"].as_u64();
    assert!(had_time || before > Some(0), "a run leaves changed pages: {settled}");
    // A few changed pages may remain, because a server keeps changing some pages on its own.
    let [left, before] = ["left", "before"].map(|key| kinds[1][key].as_u64().expect("pages"));
    assert!(left < 10 || left < before / 10, "{settled}");
    done.complains(&["write-back of changed pages: "]);
    assert_eq!(server.client(SETTINGS).expect("settings"), usual, "settings are back");
    let shown = folder.tacho("show latest").exits(0);
    shown.says(&["settled", "write-back of changed pages"]);
}

#[test]
fn mariadb_settles_after_a_run() {
    settles(&server_with::<MariaDbKind>(TPROCC, Options::default()));
}

/// After a run, Tacho vacuums the tables and makes a checkpoint. As `autovacuum` is off, nothing
/// else removes dead rows.
#[test]
fn postgresql_is_vacuumed_and_makes_a_checkpoint() {
    let settings = &[("autovacuum", "off")];
    let server = Postgres::start_with(Options { settings, ..Options::default() });
    let server = server.expect("a PostgreSQL server");
    let folder = Folder::new();
    let place = format!("tpcb '{}'", server.target());
    folder.tacho(&format!("prepare {place}")).exits(0);
    let run =
        format!("run {place} -c 2 --transactions 500 --ramp-up 0s --check none --output json");
    let done = folder.tacho(&format!("{run} --settle 60s")).done();
    let settled = done.json()["result"]["settled"].clone();
    let kinds = settled.as_array().expect("kinds of work");
    let names = kinds.iter().map(|kind| kind["what"].as_str().expect("a name"));
    let names: Vec<&str> = names.collect();
    assert_eq!(names, ["vacuum of dead rows", "checkpoint of log, in MiB"]);
    assert!(kinds[0]["before"].as_u64() > Some(0), "updates leave dead rows: {settled}");
    assert_eq!(
        (&kinds[0]["left"], &kinds[0]["ended_by"]),
        (&0.into(), &"done".into()),
        "{settled}"
    );
    // Before the checkpoint, there are more than ten megabytes of log from the load. The checkpoint makes this log
    // obsolete, and writes hardly any log itself.
    assert!(kinds[1]["before"].as_u64() > kinds[1]["left"].as_u64(), "{settled}");
    let vacuumed = "SELECT count(*) FROM pg_stat_user_tables WHERE relname LIKE 'pgbench%' AND \
                    vacuum_count > 0 AND n_dead_tup = 0";
    assert_eq!(server.client(vacuumed).expect("a count").trim(), "4");
    done.complains(&["vacuum of dead rows: 0 left of", "checkpoint of log"]);
}

/// If the user has no privileges on the server, tables are still vacuumed, and the missing privileges are listed.
#[test]
fn what_a_role_may_not_do_is_told_with_the_remedy() {
    let server = Postgres::start().expect("a PostgreSQL server");
    for sql in ["CREATE ROLE guest LOGIN", "CREATE DATABASE guest OWNER guest"] {
        server.client(sql).expect("a guest");
    }
    let folder = Folder::new();
    let guest = server.target().replace("postgres@", "guest@").replace("/postgres?", "/guest?");
    folder.tacho(&format!("prepare tpcb '{guest}'")).exits(0);
    let run = "--transactions 100 --ramp-up 0s --check none --settle 60s --output json";
    let done = folder.tacho(&format!("run tpcb '{guest}' {run}")).done();
    let settled = done.json()["result"]["settled"].clone();
    assert_eq!(settled.as_array().map(Vec::len), Some(1), "{settled}");
    assert_eq!(
        (&settled[0]["what"], &settled[0]["left"]),
        (&"vacuum of dead rows".into(), &0.into())
    );
    done.complains(&[
        "cannot finish the checkpoint of log",
        "42501",
        "grant the role pg_checkpoint",
    ]);
}

#[test]
fn a_file_has_nothing_to_settle() {
    let folder = Folder::new();
    let done = folder.tacho("run -d 1s --ramp-up 0s --check none --settle 5s").exits(0);
    done.complains(&["has no deferred work"]);
}
