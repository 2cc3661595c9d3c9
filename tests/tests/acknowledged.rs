//! Acknowledged commits: each is looked for in the database, and what is lost, unknown or there twice is
//! counted, after a crash of the server and after one of ours.

use crate::live::{measuring, notices, server_with, sql, texts};
use crate::prepared::ONE;
use serde_json::Value;
use tacho_testkit::servers::{Options, Postgres};
use tacho_tests::{Data, Folder, Signal};

const VERIFY: &str = "--verify commits --check none";
const TPCB: &str = "tpcb --profile simple-update";

fn found(folder: &Folder) -> Value {
    folder.record("latest")["result"]["acknowledged"].clone()
}

fn count(found: &Value, name: &str) -> u64 {
    found[name].as_u64().unwrap_or_else(|| panic!("{name}: {found}"))
}

#[test]
fn every_commit_is_found_and_a_missing_one_is_lost() {
    let folder = ONE.folder();
    let run = format!("run tprocc sqlite:a.db -c 2 --transactions 600 --ramp-up 0s {VERIFY}");
    let done = folder.tacho(&run).done();
    done.says(&["are in the database", "with a mark"]);
    let all = found(&folder);
    let data = Data::open(&folder.file("a.db"));
    let marks = "SELECT sum(commits) FROM tacho_commits WHERE session_id >= 0";
    assert_eq!(count(&all, "acknowledged") as i64, data.number(marks), "{all}");
    for kind in all["transactions"].as_array().expect("kinds") {
        let reads = matches!(kind["transaction"].as_str(), Some("order_status" | "stock_level"));
        let (marked, unmarked) = (count(kind, "marked"), count(kind, "unmarked"));
        assert_eq!((marked == 0, unmarked > 0), (reads, reads), "{kind}");
    }
    let check = "check tprocc sqlite:a.db --commits latest";
    folder.tacho(check).exits(0).says(&["✓ all of "]);
    data.run("UPDATE tacho_commits SET commits = commits - 3 WHERE session_id = 1");
    folder.tacho(check).exits(5).says(&["✗ LOST: 3 of ", "of 1 session, acknowledged from "]);
    data.run("UPDATE tacho_commits SET commits = commits + 5 WHERE session_id = 1");
    folder.tacho(check).exits(5).says(&["2 in the database that no session sent"]);
    data.run("UPDATE tacho_commits SET commits = 7 WHERE session_id = -1");
    folder.tacho(check).exits(3).complains(&["those of another run"]);
    drop(data);
    folder.tacho("clean tprocc sqlite:a.db --yes").exits(0);
    assert!(!folder.file("a.db").exists() || Data::open(&folder.file("a.db")).tables().is_empty());
}

#[test]
fn what_a_killed_client_knew_is_found_later() {
    let folder = ONE.folder();
    let run = format!("run tprocc sqlite:a.db -c 2 -d 1m --ramp-up 0s {VERIFY} --progress json");
    let run = measuring(folder.tacho(&run));
    run.signal(Signal::KILL);
    drop(run.wait());
    let check = "check tprocc sqlite:a.db --commits latest --output json";
    let all = folder.tacho(check).exits(0).json()["acknowledged"].clone();
    let (acknowledged, unknown) = (count(&all, "acknowledged"), count(&all, "unknown_committed"));
    let data = Data::open(&folder.file("a.db"));
    let marks = data.number("SELECT sum(commits) FROM tacho_commits WHERE session_id >= 0");
    assert!(acknowledged > 0 && count(&all, "unknown_unresolved") == 0, "{all}");
    assert_eq!((acknowledged + unknown) as i64, marks, "{all}");
}

#[test]
fn what_cannot_be_marked_is_refused_before_the_run() {
    let folder = Folder::new();
    let table = [
        ("run tpcb noop --verify commits", "keeps no data"),
        ("run tproch sqlite:x.db --verify commits", "a fixed list of queries"),
        (
            "run tpcb 'postgres://u@127.0.0.1:1/d' --sets 2 -c 2 --verify commits",
            "--sets and --route",
        ),
        ("run tpcb sqlite:x.db --shared yes --verify commits", "with --shared yes"),
        (
            "run tprocc 'mysql://u@127.0.0.1:1/d' --form procedures --verify commits",
            "stored routines that commit",
        ),
    ];
    for (line, why) in table {
        let done = folder.tacho(line).exits(2);
        done.complains(&["--verify commits is not supported", why]);
    }
}

/// What the database itself says of lost commits: each transaction leaves one row in the history.
fn rows(server: &Postgres) -> u64 {
    let rows = server.client_on("data", "SELECT count(*) FROM pgbench_history").expect("a count");
    rows.trim().parse().expect("a number")
}

/// A run through a crash, and what became of its commits: acknowledged, lost, unknown and there, new rows.
fn through_a_crash(server: &mut Postgres, folder: &Folder, form: &str, is_lazy: bool) -> [u64; 4] {
    let before = rows(server);
    let target = format!("postgres://postgres@127.0.0.1:{}/data", server.port());
    let run = format!(
        "run tpcb '{target}' -c 4 -d 4s --ramp-up 0s --form {form} --on-disconnect reconnect {VERIFY} \
         --interval 200ms --progress json"
    );
    let mut run = measuring(folder.tacho(&run));
    let flush = |word: &str| {
        let setting = format!("ALTER SYSTEM SET synchronous_commit = {word}");
        server.client(&setting).expect("a setting");
    };
    if is_lazy {
        // After the marks were made: they would be lost too.
        flush("off");
        server.client("SELECT pg_reload_conf()").expect("a reload");
        flush("on");
    }
    (0..4).for_each(|_| run.until_event(|event| event["event"] == "interval"));
    server.kill();
    server.restart().expect("the server again");
    let done = run.wait();
    let all = found(folder);
    let lost = count(&all, "lost");
    assert_eq!((count(&all, "phantom"), &all["unread"]), (0, &Value::Null), "{all}");
    assert_eq!(
        notices(&folder.record("latest")["result"]).contains(&"V06"),
        lost > 0,
        "{}",
        done.out
    );
    assert!(!done.out.contains("LOST") || done.code() == 4, "{}", done.out);
    let known = count(&all, "unknown_committed");
    [count(&all, "acknowledged"), lost, known, rows(server) - before]
}

#[test]
fn a_crash_loses_what_the_settings_allow_and_no_more() {
    // Nothing is written to the log for ten seconds, also not because a changed page has to leave memory.
    let settings = &[
        ("shared_buffers", "256MB"),
        ("autovacuum", "off"),
        ("checkpoint_timeout", "1h"),
        ("wal_writer_delay", "10s"),
        ("wal_writer_flush_after", "2GB"),
        ("wal_buffers", "64MB"),
        ("bgwriter_lru_maxpages", "0"),
    ];
    let mut own: Postgres = server_with(TPCB, Options { settings, ..Options::default() });
    let folder = Folder::new();
    for form in ["sql", "pipelined", "simple"] {
        let [acknowledged, lost, known, rows] = through_a_crash(&mut own, &folder, form, false);
        assert_eq!((lost, rows), (0, acknowledged + known), "{form}");
    }
    // The server may have written all of its log in the moment before the crash: then nothing is lost.
    let lossy = (0..4).map(|_| through_a_crash(&mut own, &folder, "sql", true));
    let lossy: Vec<[u64; 4]> = lossy.collect();
    for [acknowledged, lost, known, rows] in &lossy {
        assert_eq!(acknowledged + known - lost, *rows, "as the server's own content says");
    }
    assert!(lossy.iter().any(|[_, lost, ..]| *lost > 0), "{lossy:?}");
}

/// A folder that the server's user can go into, as every user can.
fn open_folder() -> Folder {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).expect("our folder");
    folder
}

/// A run through a failover to a replica, which is cut off before it or not; lost commits, and those
/// that are there less those that the replica shows.
fn fails_over(how: &str, cut: bool) -> (u64, i64) {
    let folder = open_folder();
    let up = folder.tacho(&format!("up postgres --replica {how} -o json")).exits(0).json();
    let replica = up["replica"]["target"].as_str().expect("a target").to_owned();
    folder.tacho("prepare tpcb pg").exits(0);
    let run = "run tpcb pg -c 4 -d 5s --ramp-up 0s --on-disconnect reconnect --interval 200ms \
               --progress json --fault 'at=2s failover' --threshold 'rto<1m' --threshold 'lost<=0'";
    let run = measuring(folder.tacho(&format!("{run} {VERIFY}")));
    if cut {
        sql(&replica, "ALTER SYSTEM SET primary_conninfo = ''");
        sql(&replica, "DO $$ BEGIN PERFORM pg_reload_conf(); END $$");
    }
    let done = run.wait();
    let record = folder.record("latest")["result"].clone();
    let all = &record["acknowledged"];
    let lost = count(all, "lost");
    done.says(&["fail over pg", "first commit after"]);
    assert_eq!(record["faults"][0]["error"], Value::Null, "{record}");
    let limits: Vec<bool> = (0..2).map(|at| record["thresholds"][at]["passed"] == true).collect();
    assert_eq!(limits, [true, lost == 0], "{}", done.out);
    let rows = texts(&replica, "SELECT CAST(count(*) AS text) FROM pgbench_history").concat();
    let rows: i64 = rows.parse().expect("a number");
    let expected = count(all, "acknowledged") + count(all, "unknown_committed") - lost;
    folder.tacho("down --all").exits(0);
    (lost, expected as i64 - rows)
}

#[test]
fn a_failover_loses_what_the_replica_had_not_received() {
    let (lost, difference) = fails_over("async", true);
    assert!(lost > 0);
    assert_eq!(difference, 0, "the lost ones are those that the replica has not");
    assert_eq!(fails_over("sync", false), (0, 0));
}
