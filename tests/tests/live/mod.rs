//! Shared code for tests on live servers: statements, sessions that hold locks, and scenarios for every server.
//!
//! The tests use drivers only for administration, because they test the `tacho` command.

#![allow(dead_code, reason = "no test program uses everything")]
#![allow(clippy::disallowed_methods, reason = "a server needs a moment of real time")]

pub mod proxy;
pub mod set_clock;
pub mod small_disk;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;
use tacho_core::Result;
use tacho_driver::{Driver, Exchange, Form, Session, StatementId};
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::{Kind, Options, TestServer};
use tacho_tests::{Call, Done, Folder, Running, Signal};
use tokio::runtime::{Builder, Runtime};

/// Arguments of a short run without checks.
///
/// The number of transactions is fixed, because a busy machine might complete none in a second.
pub const SHORT: &str = "--transactions 400 --ramp-up 0s --check none";
/// Arguments of a run that lasts until the test stops it.
pub const LONG: &str = "-d 10m --ramp-up 0s --interval 200ms --progress json";

pub fn at<K: Kind>(server: &TestServer<K>, database: &str) -> String {
    let whole = server.tcp_target();
    let (address, _) = whole.rsplit_once('/').expect("a database");
    format!("{address}/{database}")
}

/// Removes a database from a server that all tests share. This frees memory, because the server's
/// files are kept in memory.
pub fn drop_database<K: Kind>(server: &TestServer<K>, database: &str) {
    let drop = format!("DROP DATABASE {database}");
    let dropped = server.client(&format!("{drop} WITH (FORCE)")).or_else(|_| server.client(&drop));
    dropped.expect("the database is there");
}

/// Arguments for `prepare`, which fills the database `data` on each server.
pub const TPROCC: &str = "tprocc";
pub const TPROCH: &str = "tproch -s 0.01";

/// Starts a server whose database `data` contains the given workload's data. The data is prepared only once and then
/// copied.
pub fn server_with<K: Kind>(what: &str, options: Options<'_>) -> TestServer<K> {
    let server = TestServer::start_with_data(options, what, |server| make(server, what));
    server.expect("a server")
}

/// Starts a server like [`server_with`], for a product that is not on every machine.
pub fn server_with_if_there<K: Kind>(what: &str, options: Options<'_>) -> Option<TestServer<K>> {
    let server = TestServer::start_with_data_if_there(options, what, |server| make(server, what));
    server.expect("a server or none")
}

fn make<K: Kind>(server: &TestServer<K>, what: &str) {
    let (workload, more) = what.split_once(' ').unwrap_or((what, ""));
    Folder::new().tacho(&format!("prepare {workload} '{}' {more}", at(server, "data"))).exits(0);
}

fn event_loop() -> &'static Runtime {
    static EVENT_LOOP: OnceLock<Runtime> = OnceLock::new();
    let start = || Builder::new_multi_thread().worker_threads(1).enable_all().build();
    EVENT_LOOP.get_or_init(|| start().expect("an event loop"))
}

fn driver_of(target: &str) -> Arc<dyn Driver> {
    let scheme = target.split(':').next().expect("a scheme");
    tacho_registry::driver(scheme).expect("a driver")
}

/// Runs statements on a database.
pub fn sql(target: &str, statements: &str) {
    attempt(target, statements).expect(statements);
}

/// Runs statements on a database. The caller decides whether an error matters.
pub fn attempt(target: &str, statements: &str) -> Result<()> {
    let _inside = event_loop().enter();
    let driver = driver_of(target);
    Bench::new(&*driver, target).script(statements)
}

/// Runs statements in a session and keeps the session open, together with its locks, until the
/// returned value is dropped.
pub fn hold(target: &str, statements: &str) -> Box<dyn Session> {
    let _inside = event_loop().enter();
    let driver = driver_of(target);
    let bench = Bench::new(&*driver, target);
    let mut session = bench.session().expect("a session");
    bench.wait(session.script(statements)).expect(statements);
    session
}

/// Runs more statements in the session.
pub fn go_on(target: &str, session: &mut dyn Session, statements: &str) {
    let _inside = event_loop().enter();
    let driver = driver_of(target);
    Bench::new(&*driver, target).wait(session.script(statements)).expect(statements);
}

/// Returns the rows of a query that selects strings, without quotes.
pub fn texts(target: &str, query: &str) -> Vec<String> {
    let _inside = event_loop().enter();
    let driver = driver_of(target);
    let bench = Bench::new(&*driver, target);
    let section = format!("-- name: q() -> (line text)\n{query}");
    let catalog = bench.catalog(&section).expect(query);
    let session = bench.session().expect("a session");
    let exchange = Exchange::new(session, catalog, Form::Sql);
    let mut exchange = bench.wait(exchange).expect(query);
    exchange.execute(StatementId(0));
    let rows = bench.send(&mut exchange).expect(query).remove(0).0;
    rows.iter().map(|row| row.trim_matches('\'').to_owned()).collect()
}

/// Starts a run and waits for the measured phase.
pub fn measuring(call: Call) -> Running {
    let mut run = call.start();
    run.until_event(|event| event["event"] == "interval" && event["phase"] == "measure");
    run
}

pub fn notices(result: &Value) -> Vec<&str> {
    let notices = result["notices"].as_array().into_iter().flatten();
    notices.filter_map(|notice| notice["id"].as_str()).collect()
}

/// Checks that a run is valid, or INVALID only because the client had to wait for a core on this busy machine.
#[track_caller]
pub fn blames_no_one(result: &Value) {
    let found = notices(result);
    assert!(!found.iter().any(|id| id.starts_with('V') && *id != "V12"), "{}", result["notices"]);
    assert_eq!(result["valid"], !found.contains(&"V12"), "{found:?}");
}

/// Returns the number of failures of the given kind. If a code is given, counts only failures with this code.
pub fn failures(result: &Value, kind: &str, code: Option<&str>) -> u64 {
    let errors = result["errors"].as_array().into_iter().flatten();
    let fits =
        |error: &&Value| error["kind"] == kind && code.is_none_or(|code| error["code"] == code);
    errors.filter(fits).filter_map(|error| error["count"].as_u64()).sum()
}

/// Checks that every started transaction has exactly one outcome and, if the server counts
/// rollbacks, that none is hidden from the client.
pub fn expect_accounts(result: &Value) {
    let of = |name: &str| result["accounting"][name].as_u64().expect("a number");
    let ended = of("committed") + of("rolled_back") + of("failed") + of("unfinished");
    assert_eq!(of("started"), ended, "{}", result["accounting"]);
    let rollbacks = &result["rollbacks"];
    assert!(rollbacks.is_null() || rollbacks["hidden"] == 0, "{rollbacks}");
}

/// Checks that all conditions hold.
pub fn expect_consistent(folder: &Folder, target: &str) -> Done {
    let done = folder.tacho(&format!("check tprocc '{target}'")).exits(0);
    done.says(&["25 of 25"]);
    done
}

/// A server is killed during two runs. The first becomes INVALID, and the second reconnects. No commit is lost.
pub fn dies_and_is_found_again<K: Kind>(server: &mut TestServer<K>, target: &str) {
    let folder = Folder::new();
    let place = format!("tprocc '{target}'");

    let run = measuring(folder.tacho(&format!("run {place} -c 4 {LONG}")));
    server.kill();
    let done = run.wait();
    done.expect_code(4);
    done.says(&["INVALID", "session lost", "all sessions lost", "4 sessions gave up"]);
    let record = folder.record("latest");
    let result = &record["result"];
    assert_eq!(result["ended_by"], "sessions_lost");
    assert!(notices(result).contains(&"V04"), "{:?}", notices(result));
    assert_eq!(failures(result, "connect", None), 4, "{}", result["errors"]);

    server.restart().expect("the server again");
    expect_consistent(&folder, target);
    let run = folder.tacho(&format!("run {place} -c 4 {LONG} --on-disconnect reconnect"));
    let mut run = run.start();
    let works = |event: &Value| event["event"] == "interval" && event["totals"]["committed"] != 0;
    (0..5).for_each(|_| run.until_event(works));
    server.kill();
    run.until_event(|event| event["event"] == "interval" && !works(event));
    server.restart().expect("the server again");
    (0..5).for_each(|_| run.until_event(works));
    run.signal(Signal::INT);
    let done = run.wait();
    done.expect_code(130);
    let record = folder.record("latest");
    let result = &record["result"];
    done.says(&["outages", "4 connections lost"]);
    let outage = &result["outages"][0];
    assert_eq!((&outage["sessions_lost"], &outage["sessions_missing"]), (&4.into(), &0.into()));
    let after = |name: &str| outage[name].as_f64().unwrap_or_else(|| panic!("{name}: {outage}"));
    assert!(after("detected_after_s") >= 0.0);
    assert!(after("connected_after_s") <= after("first_commit_after_s"));
    // On a busy machine, the run may end before the throughput has recovered.
    if let Some(recovered) = outage["recovered_after_s"].as_f64() {
        assert!(after("first_commit_after_s") <= recovered);
    }
    // The connection that reads the counters was lost too. It has been reopened, so there must be no warning about
    // missing counters.
    assert!(!notices(result).contains(&"W09"), "{:?}", notices(result));
    let headline = &result["headline"];
    assert_eq!(headline["source"], "schema");
    assert_eq!(headline["whole_run_schema_count"].as_u64().map(|count| count > 0), Some(true));
    expect_consistent(&folder, target);
}

/// More than one percent of the transactions fail because of conflicts, which makes the run INVALID
/// unless failed transactions are retried.
pub fn fails_to_serialize(folder: &Folder, target: &str, code: &str, forms: &[&str]) {
    let strict = format!("run tprocc '{target}' -c 4 {SHORT}");
    for form in forms.iter().chain(&["procedures"]) {
        let done = folder.tacho(&format!("{strict} --form {form}")).exits(4);
        done.says(&["INVALID: too many failures", &format!("serialization ({code})")]);
        let record = folder.record("latest");
        let result = &record["result"];
        let failed = result["accounting"]["failed"].as_u64();
        assert!(failed > Some(0) && notices(result).contains(&"V02"), "{form}");
        let told = failures(result, "serialization", Some(code));
        assert!(told >= failed.unwrap_or_default(), "{form}: {}", result["errors"]);
        expect_accounts(result);
    }
    let retry = "--form procedures --retry same --attempts 1000 --backoff 1us";
    folder.tacho(&format!("{strict} {retry}")).done();
    let record = folder.record("latest");
    let accounting = &record["result"]["accounting"];
    assert!(accounting["retried"].as_u64() > Some(0), "{accounting}");
    assert_eq!(accounting["failed"], 0, "{accounting}");
    expect_accounts(&record["result"]);
    expect_consistent(folder, target);
}

/// A network failure interrupts a build, and resuming the build must yield the same data. `print`
/// returns a digest of a table.
pub fn cut_within_a_load(
    (port, through, straight, whole): (u16, &dyn Fn(u16) -> String, &str, &str),
    print: impl Fn(&str, &str) -> Vec<String>,
) {
    let folder = Folder::new();
    let proxy = proxy::Proxy::start(port, 20_000_000);
    let through = through(proxy.port());
    let done = folder.tacho(&format!("prepare tprocc '{through}' --seed 5")).exits(3);
    done.is_error().complains(&["cannot load", "connection", "repeat the command to resume"]);
    let refused = folder.tacho(&format!("run tprocc '{straight}' {SHORT}")).exits(3);
    refused.is_error().complains(&["is incomplete", "resumes it"]);
    let again = folder.tacho(&format!("prepare tprocc '{straight}' --seed 5")).exits(0);
    again.complains(&["resuming an interrupted build"]);
    expect_consistent(&folder, straight);
    folder.tacho(&format!("prepare tprocc '{whole}' --seed 5")).exits(0);
    // The other tables contain the load date.
    for table in ["warehouse", "district", "item", "stock", "new_order"] {
        assert_eq!(print(straight, table), print(whole, table), "{table}");
    }
}

/// A build or removal reports that it waits for another client's lock, and continues once the lock is released.
pub fn waits_for_a_lock(target: &str, lock: &str) {
    let folder = Folder::new();
    folder.tacho(&format!("prepare tpcb '{target}'")).exits(0);
    // Mark the build as unfinished, as it was just before its end.
    sql(target, "UPDATE tacho_marker SET v = 'building' WHERE k = 'state'");
    for line in [format!("prepare tpcb '{target}'"), format!("clean tpcb '{target}' --yes")] {
        let held = hold(target, lock);
        let mut waiting = folder.tacho(&line).start();
        waiting.until(|line| line.contains("waiting for a lock held by another session"));
        drop(held);
        waiting.wait().expect_code(0);
    }
}

/// A run or check that meets a locked table at its start reports the lock. After the command was stopped, its session
/// must stop waiting for the lock. The `waiting` query returns the sessions that still wait.
///
/// Some servers notice only after the lock was released that a waiting client is gone. For these, `soon` is false.
pub fn begins_at_a_locked_table(
    target: &str,
    lock: &dyn Fn(&str) -> String,
    (waiting, soon): (&str, bool),
) {
    let folder = Folder::new();
    let at_lock = |table: &str, line: &str| {
        let held = hold(target, &lock(table));
        let mut call = folder.tacho(&line.replace("TARGET", target)).start();
        call.until(|line| line.contains("waiting for a lock held by another session"));
        (held, call)
    };
    let workloads = [
        ("tpcb", "pgbench_accounts", "", "--transactions 40"),
        ("tproch", "lineitem", "-s 0.01", "-c 2"),
        // This workload's transactions do not need the table, so they continue while the query stream is blocked.
        ("chbench", "supplier", "", "-d 10m"),
    ];
    for (workload, table, scale, more) in workloads {
        folder.tacho(&format!("prepare {workload} '{target}' {scale}")).exits(0);
        let run = format!(
            "run {workload} 'TARGET' {scale} {more} --check none --drain 1s --interval 200ms"
        );
        for line in [run, format!("check {workload} 'TARGET'")] {
            if !line.contains("-d 10m") {
                let (held, call) = at_lock(table, &line);
                drop(held);
                call.wait().expect_code(0);
            }
            let (held, call) = at_lock(table, &line);
            call.signal(Signal::INT);
            call.wait().expect_code(130);
            let held = Some(held).filter(|_| soon);
            // Some servers check only now and then whether the client of a waiting session still exists.
            let limit = Instant::now() + Duration::from_mins(1);
            while !texts(target, waiting).is_empty() {
                assert!(Instant::now() < limit, "{line}: {:?}", texts(target, waiting));
                std::thread::sleep(Duration::from_millis(100));
            }
            drop(held);
        }
        folder.tacho(&format!("clean {workload} '{target}' --yes")).exits(0);
    }
}

/// If the disk is full, the load fails with the server's error code and a hint. It can be resumed
/// once there is more space.
pub fn fills_up(
    folder: &Folder,
    small: &small_disk::SmallDisk,
    target: &str,
    prepare: &str,
    code: &str,
) {
    let done = folder.tacho(prepare).exits(3);
    done.is_error().complains(&[code, "full", "free up some space"]);
    let refused = folder.tacho(&format!("run tprocc '{target}' {SHORT}")).exits(3);
    refused.is_error().complains(&["is incomplete"]);
    small.grow();
    folder.tacho(prepare).exits(0).complains(&["resuming an interrupted build"]);
    expect_consistent(folder, target);
}
