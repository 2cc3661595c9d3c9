//! Tests faults during query streams, such as locked tables, a server that does not come back, and too little space for
//! temporary files.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::live::small_disk::SmallDisk;
use crate::live::{TPROCH, attempt, failures, hold, measuring, notices, server_with, sql, texts};
use serde_json::Value;
use tacho_testkit::servers::{
    Kind, MariaDb, MariaDbKind, MySql, Options, Postgres, PostgresKind, TestServer,
};
use tacho_tests::{Folder, Running};

const QUERIES: usize = 22;

fn target<K: Kind>(server: &TestServer<K>, database: &str) -> String {
    let address = server.tcp_target();
    let (host, _) = address.rsplit_once('/').expect("a database");
    format!("{host}/{database}")
}

#[test]
fn a_plan_for_another_scale_than_the_data_is_refused_before_anything_runs() {
    let folder = Folder::new();
    folder.tacho("prepare tproch sqlite:h.db -s 0.01").exits(0);
    for (line, asked) in [
        ("run tproch sqlite:h.db -s 0.02", "scale 0.02 was requested"),
        ("prepare tproch sqlite:h.db -s 1", "but tproch at scale 1"),
        ("run tproch sqlite:h.db -c 3 --set refresh=true -s 0.05", "scale 0.05 was requested"),
    ] {
        let refused = folder.tacho(line).exits(3);
        refused.is_error().complains(&["tproch at scale 0.01", asked, "hint: ", "tacho clean"]);
    }
    assert_eq!(folder.tacho("runs list -o json").exits(0).json(), serde_json::json!([]));
    folder.tacho("run tproch sqlite:h.db -s 0.01 --check none").exits(0).says(&["VALID"]);
}

/// While a table is locked, query plans cannot be read. Tacho must give up and record that plans are missing.
fn plans_wait_for_a_lock(place: &str, lock: &str, title: &str) {
    let folder = Folder::new();
    folder.tacho(&format!("prepare chbench '{place}'")).exits(0);
    let run = |more: &str| {
        let line = format!(
            "run chbench '{place}' -d 3s --ramp-up 0s --check none --answer-timeout 2s {more}"
        );
        folder.tacho(&line)
    };
    let run_locked = measuring(run("--drain 1s --interval 200ms --progress json"));
    // Lock the `supplier` table. No transaction reads it, so only the requests for query plans have to wait.
    let held = hold(place, lock);
    let done = run_locked.wait();
    drop(held);
    // Tacho must close the connection of a request that has timed out, so no request can be reported as abandoned.
    assert!(!done.err.contains("abandoned"), "{}", done.err);
    let result = &folder.record("latest")["result"];
    assert_eq!(result["ended_by"], "time");
    let plans = result["query_plans"].as_array().map_or(0, Vec::len);
    let expected =
        format!("{title} returned {plans} of 22 query plans: the server did not respond within 2s");
    let untold = result["unreported_queries"].as_array().expect("sentences");
    assert!(untold.contains(&expected.into()) && plans < QUERIES, "{untold:?}");
    folder.tacho("show latest").exits(0).says(&["not available: "]);
    run("").done();
    let result = &folder.record("latest")["result"];
    assert_eq!(result["query_plans"].as_array().map(Vec::len), Some(QUERIES));
}

#[test]
fn plans_on_postgresql_are_given_up_when_a_table_stays_locked() {
    let server = Postgres::start().expect("a PostgreSQL server");
    sql(&server.target(), "CREATE DATABASE locked");
    plans_wait_for_a_lock(&target(&server, "locked"), "BEGIN; LOCK TABLE supplier", "PostgreSQL");
}

#[test]
fn plans_on_mysql_are_given_up_when_a_table_stays_locked() {
    let Some(server) = MySql::start_if_there(Options::default()).expect("a MySQL server") else {
        return;
    };
    let lock = "LOCK TABLES supplier WRITE";
    plans_wait_for_a_lock(&target(&server, "locked"), lock, "MySQL and MariaDB");
}

/// Returns the number of finished queries.
fn asked(event: &Value) -> Option<u64> {
    event["streams"][0]["done"].as_u64()
}

/// A run with query streams has no time limit. It would never end if a session could wait forever.
#[test]
fn a_server_that_never_comes_back_ends_the_streams() {
    let mut server = server_with::<PostgresKind>(TPROCH, Options::default());
    let (place, folder) = (target(&server, "data"), Folder::new());
    let line = format!(
        "run tproch '{place}' -c 2 --set query_sets=500 --interval 200ms --progress json \
         --on-disconnect reconnect --reconnect-within 3s"
    );
    let mut run: Running = folder.tacho(&line).start();
    run.until_event(|event| asked(event) > Some(12));
    server.kill();
    let done = run.wait();
    done.expect_code(4);
    done.says(&["INVALID", "2 sessions gave up", "outages"]);
    let result = &folder.record("latest")["result"];
    assert_eq!(result["ended_by"], "sessions_lost");
    assert_eq!(folder.record("latest")["plan"]["reconnect_within_s"], 3.0);
    assert!(notices(result).contains(&"V04"), "{:?}", notices(result));
    let told = result["notices"].to_string();
    assert!(told.contains("could not reconnect within 3s: "), "{told}");
    assert_eq!(result["tool"]["sessions_lost"], 2);
    let outage = &result["outages"][0];
    assert_eq!((&outage["sessions_lost"], &outage["sessions_missing"]), (&2.into(), &2.into()));
    // All measurements from before the sessions were lost must be kept.
    assert!(result["streams"][0]["geometric_mean_s"].as_f64() > Some(0.0), "{result}");
    assert_eq!(failures(result, "connect", None), 2, "{}", result["errors"]);
}

/// If a refresh loses its connection, only its own stream may end. The next run must complete the refresh.
///
/// The SQL statement `lock` blocks sessions that write. The function `cut` then closes the connection of one of them.
fn a_refresh_is_cut(place: &str, lock: &str, cut: &dyn Fn()) {
    let folder = Folder::new();
    let held = hold(place, lock);
    let line = format!("run tproch '{place}' -c 2 --set refresh=true --progress json");
    let run = folder.tacho(&line).start();
    cut();
    let done = run.wait();
    drop(held);
    done.expect_code(4);
    done.says(&["INVALID: ", "session lost", "1 session gave up"]);
    let record = folder.record("latest");
    let result = &record["result"];
    let executions = result["executions"].as_array().expect("executions");
    let failed: Vec<&Value> = executions.iter().filter(|one| !one["failed"].is_null()).collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(
        (&failed[0]["transaction"], &failed[0]["failed"]),
        (&"rf1".into(), &"connect".into())
    );
    let stream = &result["streams"][1];
    assert_eq!((&stream["good"], &stream["failed"]), (&QUERIES.into(), &0.into()), "{stream}");
    // The interrupted refresh must not have committed any of its changes.
    folder.tacho(&format!("check tproch '{place}'")).exits(0).says(&["28 of 28 hold"]);
    let again = folder.tacho(&format!("run tproch '{place}' -c 2 --set refresh=true")).exits(0);
    again.says(&["VALID", "6 of 6"]);
    let checked = folder.tacho(&format!("check tproch '{place}'")).exits(0);
    checked.complains(&["update sets 1 to 1: 15 orders"]);
}

#[test]
fn a_refresh_on_postgresql_that_is_cut_is_told_and_done_again() {
    let server = server_with::<PostgresKind>(TPROCH, Options::default());
    // Lock only the rows of this table, in which refreshes store their progress. If the whole table were locked, even
    // the preparation of a refresh would wait.
    let lock = "BEGIN; UPDATE refreshes SET f_set = f_set";
    a_refresh_is_cut(&target(&server, "data"), lock, &|| {
        let one = "DO $$ DECLARE victim int; BEGIN WHILE victim IS NULL LOOP \
                   PERFORM pg_stat_clear_snapshot(); SELECT max(pid) INTO victim FROM \
                   pg_stat_activity WHERE datname = 'data' AND wait_event_type = 'Lock'; END LOOP; PERFORM pg_terminate_backend(victim); END $$";
        sql(&server.target(), one);
    });
}

#[test]
fn a_refresh_on_mariadb_that_is_cut_is_told_and_done_again() {
    let server = server_with::<MariaDbKind>(TPROCH, Options::default());
    let place = target(&server, "data");
    a_refresh_is_cut(&place, "LOCK TABLES orders READ", &|| {
        let ours = "SELECT CAST(id AS CHAR) FROM information_schema.processlist WHERE db = 'data'";
        let waiting = format!("{ours} AND state LIKE 'Waiting for table%' LIMIT 1");
        let victim = loop {
            if let [id] = &texts(&place, &waiting)[..] {
                break id.clone();
            }
        };
        let there = format!("{ours} AND id = {victim}");
        while !texts(&place, &there).is_empty() {
            // The session may have ended in the meantime, and then it cannot be killed.
            let _ = attempt(&server.tcp_target(), &format!("KILL {victim}"));
        }
    });
}

/// Creates a file that takes up all of a disk except for 256 KiB.
#[expect(clippy::disallowed_methods, reason = "the file is no run's")]
fn filled(disk: &Path) -> PathBuf {
    let path = disk.join("filler");
    let mut file = std::fs::File::create(&path).expect("a file");
    while file.write_all(&[1; 8 << 10]).is_ok() {}
    let size = file.metadata().expect("its size").len();
    file.set_len(size - (256 << 10)).expect("some space");
    path
}

/// The server's folder for temporary files is full. Only queries that need temporary files may fail.
fn temporary_space_is_full<K: Kind>(server: &TestServer<K>, disk: &Path, words: &str) {
    let (place, folder) = (target(server, "spilling"), Folder::new());
    folder.tacho(&format!("prepare tproch '{place}' -s 0.05")).exits(0);
    server.client(words).expect("little memory for what is temporary");
    let filler = filled(disk);
    let run = format!("run tproch '{place}' --set statement_timeout=20s --check none");
    let done = folder.tacho(&run).done();
    done.expect_code(4);
    done.says(&["INVALID: too many failures", "FAILED", "resource (3)"]);
    let result = &folder.record("latest")["result"];
    let executions = result["executions"].as_array().expect("executions");
    assert_eq!((executions.len(), &result["ended_by"]), (QUERIES, &"done".into()));
    let failed = executions.iter().filter(|one| !one["failed"].is_null());
    let why: Vec<&str> = failed.filter_map(|one| one["failed"].as_str()).collect();
    assert!(!why.is_empty() && why.len() < QUERIES, "{why:?}");
    assert!(why.iter().all(|why| *why == "resource"), "{}", result["errors"]);
    assert!(result["streams"][0]["penalised_mean_s"].as_f64() > Some(0.0), "{result}");
    std::fs::remove_file(filler).expect("space again");
    folder.tacho(&run).exits(0).says(&["VALID"]);
}

#[test]
fn temporary_space_of_mariadb_that_is_full_is_told() {
    let place = MariaDb::start().expect("a MariaDB server");
    let small = place.folder().join("small");
    std::fs::create_dir(&small).expect("a folder");
    let Some(disk) = SmallDisk::on(&small, &place.folder().join("data")) else { return };
    let path = small.display().to_string();
    let settings = [("tmpdir", path.as_str())];
    let server = MariaDb::start_with(Options { settings: &settings, ..Options::default() });
    let server = server.expect("a MariaDB server");
    let words = "SET GLOBAL tmp_memory_table_size = 1024; SET GLOBAL sort_buffer_size = 32768";
    temporary_space_is_full(&server, &small, words);
    drop((server, disk, place));
}

#[test]
fn temporary_space_of_mysql_that_is_full_is_told() {
    let server = |settings| MySql::start_if_there(Options { settings, ..Options::default() });
    let Some(place) = server(&[]).expect("a MySQL server") else { return };
    let small = place.folder().join("small");
    std::fs::create_dir(&small).expect("a folder");
    let Some(disk) = SmallDisk::on(&small, &place.folder().join("data")) else { return };
    let path = small.display().to_string();
    let settings = [("tmpdir", path.as_str())];
    let server = server(&settings).expect("a MySQL server").expect("one was there");
    let words = "SET GLOBAL sort_buffer_size = 32768; SET GLOBAL join_buffer_size = 128";
    temporary_space_is_full(&server, &small, words);
    drop((server, disk, place));
}
