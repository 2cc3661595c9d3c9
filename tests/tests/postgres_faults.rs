//! What goes wrong with a server: it dies, refuses, fills up, locks, or is out of reach. Each has its
//! exit code, its class and a remedy, and nothing of it passes as success.

#![expect(clippy::disallowed_methods, reason = "faults come after a moment of real time")]

mod postgres_server;

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Duration;

use postgres_server::proxy::Proxy;
use postgres_server::{Database, hold, server, sql, target, texts};
use serde_json::Value;
use tacho_testkit::servers::Postgres;
use tacho_tests::{Call, Folder, Running, Signal};

const SHORT: &str = "-d 1s --ramp-up 0s --check none";
const LONG: &str = "-d 10m --ramp-up 0s --interval 200ms --progress json";

/// Begins a run and waits until it measures.
fn measuring(call: Call) -> Running {
    let mut run = call.start();
    run.until_event(|event| event["event"] == "interval" && event["phase"] == "measure");
    run
}

fn notices(result: &Value) -> Vec<&str> {
    let notices = result["notices"].as_array().into_iter().flatten();
    notices.filter_map(|notice| notice["id"].as_str()).collect()
}

/// How many failures of this class and code there were.
fn failures(result: &Value, kind: &str, code: &str) -> u64 {
    let errors = result["errors"].as_array().into_iter().flatten();
    let fitting = errors.filter(|error| error["kind"] == kind && error["code"] == code);
    fitting.filter_map(|error| error["count"].as_u64()).sum()
}

/// Ended transactions, and the server's rollbacks, add up.
fn expect_accounts(result: &Value) {
    let of = |name: &str| result["accounting"][name].as_u64().expect("a number");
    let ended = of("committed") + of("rolled_back") + of("failed") + of("unfinished");
    assert_eq!(of("started"), ended, "{}", result["accounting"]);
    assert_eq!(result["rollbacks"]["hidden"], 0, "{}", result["rollbacks"]);
}

#[test]
fn a_server_that_dies_ends_a_run_or_is_found_again() {
    let mut own = Postgres::start().expect("a PostgreSQL server");
    let folder = Folder::new();
    let place = format!("tprocc '{}'", target(&own, "a"));
    folder.tacho(&format!("prepare {place}")).exits(0);

    let run = measuring(folder.tacho(&format!("run {place} -c 4 {LONG}")));
    own.kill();
    let done = run.wait();
    done.expect_code(4);
    done.says(&["INVALID", "session lost", "all sessions lost", "4 sessions gave up"]);
    let record = folder.record("latest");
    let result = &record["result"];
    assert_eq!(result["ended_by"], "sessions_lost");
    assert!(notices(result).contains(&"V04"), "{:?}", notices(result));
    let lost = result["errors"].as_array().into_iter().flatten();
    let lost: u64 =
        lost.filter(|e| e["kind"] == "connect").filter_map(|e| e["count"].as_u64()).sum();
    assert_eq!(lost, 4, "{}", result["errors"]);

    own.restart().expect("the server again");
    folder.tacho(&format!("check {place}")).exits(0).says(&["12 of 12"]);
    let line = "-c 4 -d 6s --ramp-up 0s --interval 200ms --progress json";
    let run = folder.tacho(&format!("run {place} {line} --on-disconnect reconnect"));
    let mut run = run.start();
    for _ in 0..8 {
        run.until_event(|event| event["event"] == "interval" && event["phase"] == "measure");
    }
    own.kill();
    thread::sleep(Duration::from_millis(500));
    own.restart().expect("the server again");
    let done = run.wait();
    let record = folder.record("latest");
    let result = &record["result"];
    done.says(&["outages", "4 connections lost"]);
    assert_eq!(result["ended_by"], "time");
    let outage = &result["outages"][0];
    assert_eq!((&outage["sessions_lost"], &outage["sessions_missing"]), (&4.into(), &0.into()));
    let after = |name: &str| outage[name].as_f64().unwrap_or_else(|| panic!("{name}: {outage}"));
    assert!(after("detected_after_s") >= 0.0);
    assert!(after("connected_after_s") <= after("first_commit_after_s"));
    // On a busy machine the throughput of before may not come back within the run.
    if let Some(recovered) = outage["recovered_after_s"].as_f64() {
        assert!(after("first_commit_after_s") <= recovered);
    }
    // The counters were read on a connection that is gone too.
    assert!(notices(result).contains(&"W09"), "{:?}", notices(result));
    folder.tacho(&format!("check {place}")).exits(0).says(&["12 of 12"]);
}

#[test]
fn a_session_that_is_ended_from_outside_makes_a_run_invalid() {
    let Database { target, folder } = Database::new("ended");
    let run = measuring(folder.tacho(&format!(
        "run tprocc '{target}' -c 3 -d 3s --ramp-up 0s --interval 200ms --progress json"
    )));
    // One of ours shows a statement of the workload, but not at every moment.
    let one = "DO $$ DECLARE victim int; BEGIN WHILE victim IS NULL LOOP \
               PERFORM pg_stat_clear_snapshot(); SELECT max(pid) INTO victim FROM pg_stat_activity \
               WHERE datname = 'ended' AND query LIKE 'UPDATE %'; END LOOP; \
               PERFORM pg_terminate_backend(victim); END $$";
    sql(&server().target(), one);
    let done = run.wait();
    done.expect_code(4);
    done.says(&["INVALID: session lost", "57P01"]);
    let record = folder.record("latest");
    assert_eq!(failures(&record["result"], "connect", "57P01"), 1);
    assert_eq!(record["result"]["tool"]["sessions_lost"], 1);
}

#[test]
fn who_cannot_enter_is_told_why() {
    let folder = Folder::new();
    let own = server();
    let port = own.port();
    let nobody = Proxy::start(port, 0).port();
    let table = [
        (
            "postgres://postgres@127.0.0.1:1/one".to_owned(),
            "refuses the connection",
            "is it running",
        ),
        (format!("postgres://postgres@127.0.0.1:{nobody}/one"), "cannot connect", ""),
        (format!("postgres://secretive:wr0ng@127.0.0.1:{port}/one"), "28P01", "PGPASSWORD"),
        (format!("postgres://secretive@127.0.0.1:{port}/one"), "there is none", "pgpass"),
        (format!("postgres://guest@127.0.0.1:{port}/one"), "42501", "grant the role"),
        (format!("postgres://postgres@127.0.0.1:{port}/nowhere"), "3D000", "tacho prepare tprocc"),
    ];
    for (target, text, hint) in table {
        let done = folder.tacho(&format!("run tprocc '{target}' {SHORT}")).exits(3);
        done.complains(&["error: ", text, hint]);
        assert!(done.out.is_empty() && !done.err.contains("wr0ng"), "{}", done.err);
    }
    assert!(folder.runs().is_empty(), "a run that did not begin leaves nothing");
}

#[test]
fn too_few_connections_are_told_before_anything_begins() {
    let Database { target, folder } = Database::new("crowded");
    sql(&server().target(), "CREATE ROLE few LOGIN SUPERUSER");
    sql(&server().target(), "ALTER ROLE few NOSUPERUSER CONNECTION LIMIT 5");
    sql(&target, "GRANT ALL ON ALL TABLES IN SCHEMA public TO few");
    let few = target.replacen("postgres@", "few@", 1);
    let done = folder.tacho(&format!("run tprocc '{few}' -c 3 {SHORT}")).exits(3);
    done.is_error().complains(&["takes 4 more sessions", "--sessions 2 fits", "role few"]);
    let done = folder.tacho(&format!("run tprocc '{target}' -c 5000 {SHORT}")).exits(3);
    done.is_error().complains(&["max_connections"]);
    assert!(folder.runs().is_empty());
    folder.tacho(&format!("run tprocc '{few}' -c 2 {SHORT}")).exits(0);
    let empty = target.replacen("/crowded", "/crowded2", 1);
    let done = folder.tacho(&format!("prepare tprocc '{empty}' -s 100 -c 90")).exits(3);
    done.is_error().complains(&["max_connections"]);
    assert_eq!(
        texts(&empty, "SELECT relname::text FROM pg_class WHERE relname ~ '^tacho'").len(),
        0
    );
}

#[test]
fn serialization_failures_are_failures_unless_they_are_tried_again() {
    let Database { target, folder } = Database::new("strict");
    let strict = format!("run tprocc '{target}?isolation=serializable' -c 4 {SHORT}");
    for form in ["sql", "procedures"] {
        let done = folder.tacho(&format!("{strict} --form {form}")).exits(4);
        done.says(&["INVALID: too many failures", "serialization (40001)"]);
        let record = folder.record("latest");
        let result = &record["result"];
        let failed = result["accounting"]["failed"].as_u64();
        assert!(failed > Some(0) && notices(result).contains(&"V02"), "{form}");
        assert!(failures(result, "serialization", "40001") >= failed.unwrap_or_default());
        expect_accounts(result);
    }
    folder.tacho(&format!("{strict} --retry same --attempts 1000 --backoff 1us")).done();
    let record = folder.record("latest");
    let accounting = &record["result"]["accounting"];
    assert!(accounting["retried"].as_u64() > Some(0), "{accounting}");
    assert_eq!(accounting["failed"], 0, "{accounting}");
    expect_accounts(&record["result"]);
    folder.tacho(&format!("check tprocc '{target}'")).exits(0).says(&["12 of 12"]);
}

#[test]
fn statements_that_take_too_long_are_timeouts() {
    let Database { target, folder } = Database::new("slow");
    let impatient = format!("{target}?options=-c%20statement_timeout%3D100ms");
    let run = folder.tacho(&format!(
        "run tprocc '{impatient}' -c 2 -d 2s --ramp-up 0s --interval 200ms --progress json"
    ));
    let run = measuring(run);
    sql(&target, "BEGIN; UPDATE warehouse SET w_ytd = w_ytd; SELECT pg_sleep(1); COMMIT");
    let done = run.wait();
    done.says(&["timeout (57014)"]);
    let record = folder.record("latest");
    assert!(failures(&record["result"], "timeout", "57014") >= 5, "{}", record["result"]["errors"]);
    expect_accounts(&record["result"]);
}

/// Somebody who rolls back in our database is told; in another one it is none of our business.
#[test]
fn hidden_rollbacks_are_told() {
    let Database { target, folder } = Database::new("undone");
    let run = format!("run tprocc '{target}' -d 3s --ramp-up 0s --interval 200ms --progress json");
    let run = measuring(folder.tacho(&run));
    let undo = "DO $$ BEGIN FOR i IN 1..40 LOOP ROLLBACK; END LOOP; END $$";
    sql(&target, undo);
    sql(&server().target(), undo);
    let done = run.wait();
    done.expect_code(0);
    done.says(&["40 hidden from the client", "W16"]);
    assert_eq!(folder.record("latest")["result"]["rollbacks"]["hidden"], 40);
}

#[test]
fn nothing_goes_on_in_the_server_after_a_run_was_aborted() {
    let Database { target, folder } = Database::new("aborted");
    let run = measuring(folder.tacho(&format!("run tprocc '{target}' -c 3 {LONG}")));
    let held =
        hold(&format!("{target}?application_name=locker"), "BEGIN; LOCK TABLE warehouse, district");
    let ours = "SELECT pid::text FROM pg_stat_activity WHERE datname = 'aborted' \
                AND application_name = 'tacho' AND wait_event_type = 'Lock'";
    let admin = format!("{}&application_name=admin", server().target());
    while texts(&admin, ours).len() < 3 {
        thread::sleep(Duration::from_millis(50));
    }
    run.signal(Signal::INT);
    thread::sleep(Duration::from_millis(300));
    run.signal(Signal::INT);
    run.wait().expect_code(130);
    // The lock is still held: without a word from us they would go on waiting for it.
    assert_eq!(texts(&admin, ours), Vec::<String>::new());
    drop(held);
}

#[test]
fn a_network_cut_within_a_load_leaves_what_can_be_gone_on_with() {
    let folder = Folder::new();
    let own = server();
    let proxy = Proxy::start(own.port(), 30_000_000);
    let through = format!("postgres://postgres@127.0.0.1:{}/cut", proxy.port());
    let done = folder.tacho(&format!("prepare tprocc '{through}' --scale 2 --seed 5")).exits(3);
    done.is_error().complains(&["cannot load", "connection", "the same command goes on"]);
    let straight = target(own, "cut");
    let refused = folder.tacho(&format!("run tprocc '{straight}' {SHORT}")).exits(3);
    refused.is_error().complains(&["half-built", "goes on with it"]);
    let again = folder.tacho(&format!("prepare tprocc '{straight}' --scale 2 --seed 5")).exits(0);
    again.complains(&["going on with a stopped build"]);
    folder.tacho(&format!("check tprocc '{straight}'")).exits(0).says(&["12 of 12"]);
    let whole = target(own, "whole");
    folder.tacho(&format!("prepare tprocc '{whole}' --scale 2 --seed 5")).exits(0);
    let print = |place: &str, table: &str| {
        let query =
            format!("SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table} AS t");
        texts(place, &query)
    };
    // The date of the load is in the other tables.
    for table in ["warehouse", "district", "item", "stock", "new_order"] {
        assert_eq!(print(&straight, table), print(&whole, table), "{table}");
    }
}

/// A file system of some megabytes, which only the system's administrator can make.
struct Small(PathBuf);

impl Small {
    fn new(server: &Postgres) -> Option<Self> {
        let path = server.folder().join("small");
        std::fs::create_dir(&path).ok()?;
        let owner = server.folder().join("data").metadata().ok()?.uid();
        let mut mount = Command::new("mount");
        let options = format!("size=40m,mode=700,uid={owner}");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&path);
        let mounted = mount.output().is_ok_and(|done| done.status.success());
        mounted.then_some(Self(path))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // What is left is the system's; the folder cannot be removed then, and the test says so.
        let _ = Command::new("umount").arg(&self.0).output();
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "whoever runs the tests must know what was not tested")]
fn a_full_disk_ends_a_load_and_a_larger_one_goes_on() {
    let mut own = Postgres::start().expect("a PostgreSQL server");
    let folder = Folder::new();
    let Some(small) = Small::new(&own) else {
        eprintln!("only root can mount a small file system: nothing was tested");
        return;
    };
    let admin = own.target();
    sql(&admin, &format!("CREATE TABLESPACE small LOCATION '{}'", small.0.display()));
    sql(&admin, "CREATE DATABASE full_up");
    let full = target(&own, "full_up");
    sql(&full, "SELECT 1");
    let line = format!("prepare tprocc '{full}' --set tablespace=small");
    let done = folder.tacho(&line).exits(3);
    done.is_error().complains(&["53100", "disk is full", "free some space"]);
    let refused = folder.tacho(&format!("run tprocc '{full}' {SHORT}")).exits(3);
    refused.is_error().complains(&["half-built"]);
    let grown = Command::new("mount").args(["-o", "remount,size=600m"]).arg(&small.0).status();
    assert!(grown.is_ok_and(|status| status.success()), "a larger disk");
    folder.tacho(&line).exits(0).complains(&["going on with a stopped build"]);
    folder.tacho(&format!("check tprocc '{full}'")).exits(0).says(&["12 of 12"]);
    own.stop();
}
