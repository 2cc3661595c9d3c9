//! PostgreSQL servers that die, reject requests, run out of space, block on locks, or are unreachable.
//!
//! Each of these faults has its own exit code, error class and hint.

#![expect(clippy::disallowed_methods, reason = "faults come after a moment of real time")]

use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use crate::live::proxy::Proxy;
use crate::live::small_disk::SmallDisk;
use crate::live::{
    LONG, SHORT, TPROCC, cut_within_a_load, dies_and_is_found_again, expect_accounts,
    fails_to_serialize, failures, fills_up, hold, measuring, notices, server_with, sql, texts,
    waits_for_a_lock,
};
use tacho_testkit::servers::{Options, Postgres};
use tacho_tests::{Folder, Signal};

/// Access rules: over TCP, one user needs a password and all others do not.
const ACCESS: [&str; 2] =
    ["host all secretive 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 trust"];

/// Returns the server for all tests that do not stop it. Its database `one` contains one warehouse.
pub fn server() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(|| {
        let server = Postgres::start_with(Options { access: &ACCESS, ..Options::default() });
        let server = server.unwrap_or_else(|e| panic!("{e}; {}", e.hints().join("; ")));
        let one = target(&server, "one");
        Folder::new().tacho(&format!("prepare tprocc '{one}'")).exits(0);
        sql(&server.target(), "CREATE ROLE secretive LOGIN PASSWORD 'right'");
        sql(&server.target(), "CREATE ROLE guest LOGIN");
        server
    })
}

pub fn target(server: &Postgres, database: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{}/{database}", server.port())
}

/// A database with one warehouse that only one test uses.
struct Database {
    target: String,
    /// A folder for runs.
    folder: Folder,
}

impl Database {
    /// Creates a copy of the prepared database.
    fn new(name: &str) -> Self {
        let copy = format!("CREATE DATABASE {name} TEMPLATE one");
        sql(&server().target(), &copy);
        Self { target: target(server(), name), folder: Folder::new() }
    }
}

#[test]
fn a_server_that_dies_ends_a_run_or_is_found_again() {
    let mut server: Postgres = server_with(TPROCC, Options::default());
    let target = target(&server, "data");
    dies_and_is_found_again(&mut server, &target);
}

#[test]
fn a_session_that_is_ended_from_outside_makes_a_run_invalid() {
    let Database { target, folder } = Database::new("ended");
    let run = measuring(folder.tacho(&format!(
        "run tprocc '{target}' -c 3 -d 2s --ramp-up 0s --interval 200ms --progress json"
    )));
    // The server shows a session's statement only some of the time, so repeat the query until it is visible.
    let one = "DO $$ DECLARE victim int; BEGIN WHILE victim IS NULL LOOP \
               PERFORM pg_stat_clear_snapshot(); SELECT max(pid) INTO victim FROM pg_stat_activity \
               WHERE datname = 'ended' AND query LIKE 'UPDATE %'; END LOOP; \
               PERFORM pg_terminate_backend(victim); END $$";
    sql(&server().target(), one);
    let done = run.wait();
    done.expect_code(4);
    done.says(&["INVALID", "session lost", "57P01"]);
    let record = folder.record("latest");
    assert_eq!(failures(&record["result"], "connect", Some("57P01")), 1);
    assert_eq!(record["result"]["tool"]["sessions_lost"], 1);
}

#[test]
fn who_cannot_enter_is_told_why() {
    let folder = Folder::new();
    let server = server();
    let port = server.port();
    let nobody = Proxy::start(port, 0).port();
    let table = [
        (
            "postgres://postgres@127.0.0.1:1/one".to_owned(),
            "refused the connection",
            "it is running",
        ),
        // The command runs without environment variables, so the user name is that of the operating system's user.
        ("postgres://127.0.0.1:1/one".to_owned(), "refused the connection", "it is running"),
        (format!("postgres://postgres@127.0.0.1:{nobody}/one"), "cannot connect", ""),
        (format!("postgres://secretive:wr0ng@127.0.0.1:{port}/one"), "28P01", "PGPASSWORD"),
        (format!("postgres://secretive@127.0.0.1:{port}/one"), "none was given", "pgpass"),
        (format!("postgres://guest@127.0.0.1:{port}/one"), "42501", "grant the role"),
        (format!("postgres://postgres@127.0.0.1:{port}/nowhere"), "3D000", "tacho prepare tprocc"),
    ];
    for (target, text, hint) in table {
        let done = folder.tacho(&format!("run tprocc '{target}' {SHORT}")).exits(3);
        done.complains(&["error: ", text, hint]);
        assert!(done.out.is_empty() && !done.err.contains("wr0ng"), "{}", done.err);
    }
    assert!(folder.runs().is_empty(), "a run that did not begin leaves nothing");
    // The error must not suggest `createdb`, because `prepare` creates a missing database.
    let missing = format!("run tpcb postgres://postgres@127.0.0.1:{port}/nowhere {SHORT}");
    let missing = folder.tacho(&missing).exits(3);
    assert!(!missing.err.contains("createdb"), "{}", missing.err);
}

#[test]
fn too_few_connections_are_told_before_anything_begins() {
    let Database { target, folder } = Database::new("crowded");
    sql(&server().target(), "CREATE ROLE few LOGIN SUPERUSER");
    sql(&server().target(), "ALTER ROLE few NOSUPERUSER CONNECTION LIMIT 6");
    sql(&target, "GRANT ALL ON ALL TABLES IN SCHEMA public TO few");
    let few = target.replacen("postgres@", "few@", 1);
    let done = folder.tacho(&format!("run tprocc '{few}' -c 5 {SHORT}")).exits(3);
    done.is_error().complains(&[
        // A connection that has just been closed may still count, so do not check how many sessions are free.
        "more sessions, but 5 and 2 to monitor them are needed",
        "use --sessions ",
        "role few",
    ]);
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
    fails_to_serialize(&folder, &format!("{target}?isolation=serializable"), "40001", &["sql"]);
}

/// The test and a payment transaction wait for each other's locks. The server cancels the payment,
/// because the test's `deadlock_timeout` is an hour.
#[test]
fn a_deadlock_is_counted_and_tried_again() {
    let Database { target, folder } = Database::new("crossed");
    let cross = "BEGIN; SET LOCAL deadlock_timeout = '1h'; SELECT 1 FROM district FOR UPDATE; \
                 DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted \
                 AND pg_backend_pid() = ANY (pg_blocking_pids(pid))) \
                 LOOP PERFORM pg_sleep(0.01); END LOOP; END $$; \
                 UPDATE warehouse SET w_ytd = w_ytd; COMMIT";
    for retry in ["none", "same"] {
        // Ten seconds of scheduled arrivals, all of which are executed, so that no transaction is
        // still running at the end.
        let run = measuring(folder.tacho(&format!(
            "run tprocc '{target}?options=-c%20deadlock_timeout%3D5s' --set weights=0,100,0,0,0 \
             -r 40 --transactions 400 --ramp-up 0s --interval 200ms --progress json \
             --retry {retry} --attempts 1000"
        )));
        sql(&target, cross);
        run.wait().says(&["deadlock (40P01) in payment", "no hidden rollbacks", "24 of 24"]);
        let record = folder.record("latest");
        let result = &record["result"];
        // Another payment may lock the warehouse before the waiting test does. The server may then cancel this payment
        // as well.
        let deadlocks = failures(result, "deadlock", Some("40P01"));
        let (failed, retried) = if retry == "none" { (deadlocks, 0) } else { (0, deadlocks) };
        let accounting = &result["accounting"];
        assert!(deadlocks > 0, "{retry}: {}", result["errors"]);
        assert_eq!(accounting["failed"], failed, "{retry}: {accounting}");
        assert_eq!(accounting["retried"], retried, "{retry}: {accounting}");
        assert_eq!(accounting["committed"], 400 - failed, "{retry}: {accounting}");
        expect_accounts(result);
    }
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
    assert!(
        failures(&record["result"], "timeout", Some("57014")) >= 5,
        "{}",
        record["result"]["errors"]
    );
    expect_accounts(&record["result"]);
}

/// Rollbacks of another client are reported only if that client uses the same database.
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
    // The lock is still held, so any session that was not cancelled would still be waiting for it.
    assert_eq!(texts(&admin, ours), Vec::<String>::new());
    drop(held);
}

#[test]
fn a_network_cut_within_a_load_leaves_what_can_be_gone_on_with() {
    let server = server();
    let through = |port: u16| format!("postgres://postgres@127.0.0.1:{port}/cut");
    let (straight, whole) = (target(server, "cut"), target(server, "whole"));
    cut_within_a_load((server.port(), &through, &straight, &whole), |place, table| {
        let query =
            format!("SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table} AS t");
        texts(place, &query)
    });
}

#[test]
fn who_waits_for_a_lock_says_so() {
    waits_for_a_lock(&target(server(), "waiting"), "BEGIN; LOCK TABLE pgbench_accounts");
}

/// While a table is locked, the query for the table sizes times out. The run then continues on a new connection.
#[test]
fn a_locked_table_hides_the_sizes_only() {
    let (folder, target) = (Folder::new(), target(server(), "locked"));
    folder.tacho(&format!("prepare tpcb '{target}' --progress none -o quiet")).exits(0);
    sql(&target, "CREATE TABLE other (a int)");
    let held = hold(&target, "BEGIN; LOCK TABLE other");
    let run = "-c 1 -d 1s --ramp-up 0s --check none --answer-timeout 1s";
    let done = folder.tacho(&format!("run tpcb '{target}' {run}")).done();
    drop(held);
    done.complains(&["could not record the table sizes: the server did not respond"]);
    assert!(!done.err.contains("abandoned"), "{}", done.err);
    let record = folder.record("latest");
    assert!(record["result"]["accounting"]["committed"].as_u64() > Some(0), "{record}");
    assert!(record["data"]["structure"].is_string(), "{}", record["data"]);
}

/// The simple form prepares no statements, so only the query for the counters needs the locked table before the load
/// begins.
#[test]
fn counters_in_a_locked_table_do_not_hold_up_the_load() {
    let Database { target, folder } = Database::new("counted");
    let held = hold(&target, "BEGIN; LOCK TABLE district");
    let run = "-c 1 -d 2s --ramp-up 0s --check none --form simple --answer-timeout 1s";
    let mut call = folder.tacho(&format!("run tprocc '{target}' {run}")).start();
    call.until(|line| line.contains("cannot be compared with the database's counters"));
    drop(held);
    let done = call.wait();
    let record = folder.record("latest");
    let committed = record["result"]["accounting"]["committed"].as_u64();
    assert!(committed > Some(0), "{}", done.err);
    assert!(record["result"]["headline"]["whole_run_schema_count"].is_null(), "{record}");
}

#[test]
fn a_rate_that_postgres_does_not_reach_is_blamed_on_nothing_else() {
    // Use a separate server, because the counters would otherwise include the work of other tests.
    let server: Postgres = server_with(TPROCC, Options::default());
    let (target, folder) = (target(&server, "data"), Folder::new());
    let load = "-c 2 -r 100k -d 3s --ramp-up 1s --interval 500ms";
    let done = folder.tacho(&format!("run tprocc '{target}' {load}")).exits(4);
    done.says(&["INVALID: rate not reached", "reached ", "/s of 100\u{202f}000/s", "waiting"]);
    assert!(!done.err.contains("lock"), "{}", done.err);
    let record = folder.record("latest");
    let found = notices(&record["result"]);
    // The run may have warnings about drift or a busy machine, but none about wrong counters.
    assert!(found.contains(&"V01"), "{found:?}");
    assert!(!found.iter().any(|id| ["W07", "W03", "V06", "V11"].contains(id)), "{found:?}");
    expect_accounts(&record["result"]);
}

#[test]
fn a_full_disk_ends_a_load_and_a_larger_one_goes_on() {
    let mut server = Postgres::start().expect("a PostgreSQL server");
    let folder = Folder::new();
    let place = server.folder().join("small");
    std::fs::create_dir(&place).expect("a folder");
    let Some(small) = SmallDisk::on(&place, &server.folder().join("data")) else { return };
    let admin = server.target();
    sql(&admin, &format!("CREATE TABLESPACE small LOCATION '{}'", place.display()));
    sql(&admin, "CREATE DATABASE full_up");
    let full = target(&server, "full_up");
    let line = format!("prepare tprocc '{full}' --set tablespace=small");
    fills_up(&folder, &small, &full, &line, "53100");
    server.stop();
}

/// A default cache size is reported only if the data is larger than the cache.
#[test]
fn a_cache_as_installed_is_told_when_the_data_is_larger() {
    let settings = &[("shared_buffers", "128MB")];
    let server = Postgres::start_with(Options { settings, ..Options::default() });
    let server = server.expect("a PostgreSQL server");
    let (target, folder) = (target(&server, "advice"), Folder::new());
    folder.tacho(&format!("prepare tpcb '{target}'")).exits(0);
    let run = format!("run tpcb '{target}' --transactions 50 --ramp-up 0s --check none");
    let done = folder.tacho(&run).done();
    assert!(!done.out.contains("shared_buffers is"), "{}", done.out);
    sql(&target, "CREATE TABLE large AS SELECT repeat('x', 1900) FROM generate_series(1, 80000)");
    let done = folder.tacho(&run).done();
    done.says(&["W17", "shared_buffers is 128 MiB, the default, but the data", "a quarter of"]);
}
