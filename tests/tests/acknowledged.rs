//! Tests whether Tacho verifies acknowledged commits after the server or Tacho itself has crashed. Lost, unknown and
//! duplicate commits must be counted.

#![expect(clippy::disallowed_methods, reason = "records and notes are changed by hand here")]

use crate::live::{at, measuring, notices, server_with, sql, texts};
use crate::prepared::ONE;
use serde_json::Value;
use tacho_store::CommitNotes;
use tacho_testkit::servers::{Kind, Options, Postgres, TestServer};
use tacho_tests::{Data, Folder, Signal};

pub const VERIFY: &str = "--verify commits --check none";
pub const TPCB: &str = "tpcb --profile simple-update";

pub fn found(folder: &Folder) -> Value {
    folder.record("latest")["result"]["acknowledged"].clone()
}

pub fn count(found: &Value, name: &str) -> u64 {
    found[name].as_u64().unwrap_or_else(|| panic!("{name}: {found}"))
}

#[test]
fn every_commit_is_found_and_a_missing_one_is_lost() {
    let folder = ONE.folder();
    let run = format!("run tprocc sqlite:a.db -c 2 --transactions 600 --ramp-up 0s {VERIFY}");
    let done = folder.tacho(&run).done();
    done.says(&["are in the database", "have a commit mark"]);
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
    // Change the number of commits that the database has counted for one session. Choose the session with the most
    // commits, because on a busy machine, the other one may have almost none.
    let busiest = data.number(
        "SELECT session_id FROM tacho_commits WHERE session_id >= 0 ORDER BY commits DESC LIMIT 1",
    );
    let move_by = |by: i64| {
        data.run(&format!(
            "UPDATE tacho_commits SET commits = commits + {by} WHERE session_id = {busiest}"
        ));
    };
    move_by(-3);
    folder.tacho(check).exits(5).says(&[
        "✗ LOST: 3 of ",
        "of 1 session, acknowledged by ",
        "at the latest",
    ]);
    move_by(5);
    folder.tacho(check).exits(5).says(&["2 in the database that no session sent"]);
    // After a run has been exported and imported on another machine, its commits can still be checked there.
    folder.tacho("runs export all.tar.zst").exits(0);
    folder.tacho("runs import all.tar.zst --dir elsewhere").exits(0);
    let there = format!("{check} --dir elsewhere");
    folder.tacho(&there).exits(5).says(&["2 in the database that no session sent"]);
    data.run("UPDATE tacho_commits SET commits = 7 WHERE session_id = -1");
    folder.tacho(check).exits(3).complains(&["belong to another run"]);
    drop(data);
    folder.tacho("clean tprocc sqlite:a.db --yes").exits(0);
    assert!(!folder.file("a.db").exists() || Data::open(&folder.file("a.db")).tables().is_empty());
}

/// The header of the commit log and the counts in the record must be checked before any result is reported.
#[test]
fn notes_that_were_changed_are_never_compared() {
    let folder = ONE.folder();
    let run = format!("run tprocc sqlite:a.db -c 2 --transactions 200 --ramp-up 0s {VERIFY}");
    folder.tacho(&run).done();
    let check = "check tprocc sqlite:a.db --commits latest";
    folder.tacho(check).exits(0).says(&["✓ all of "]);
    let run = folder.runs().pop().expect("a run");
    let notes = std::fs::read(run.join("commits.bin")).expect("the notes");
    // Change the number of commits that are expected of session 0, in both copies of the session's notes.
    for change in [1, 2] {
        let mut changed = notes.clone();
        for copy in 0..2 {
            changed[8 * (16 + copy * 16 + 2)] ^= change;
        }
        std::fs::write(run.join("commits.bin"), changed).expect("written");
        let refused = folder.tacho(check).exits(3);
        refused.complains(&["commits.bin is damaged", "the checksum of the notes of 1 session"]);
        assert!(!refused.out.contains('✓'), "{}", refused.out);
    }
    // If the commit notes are on other hosts, the check must not compare anything, even if it is repeated.
    for _ in 0..2 {
        std::fs::write(run.join("commits.bin"), &notes).expect("written");
        CommitNotes::open(&run).expect("the notes").are_elsewhere();
        let done = folder.tacho(check).exits(5);
        done.says(&["not compared", "2 sessions was not received"]);
        assert!(!done.out.contains('✓'), "{}", done.out);
    }
    std::fs::write(run.join("commits.bin"), notes).expect("written");
    folder.tacho(check).exits(0);
    let path = run.join("run.json");
    let record = std::fs::read_to_string(&path).expect("the record");
    let confirmed = count(&found(&folder), "acknowledged");
    let changed = record.replacen(
        &format!("\"acknowledged\": {confirmed},"),
        &format!("\"acknowledged\": {},", confirmed + 913),
        1,
    );
    assert_ne!(changed, record);
    std::fs::write(&path, changed).expect("written");
    folder
        .tacho(check)
        .exits(3)
        .complains(&["commits.bin is damaged", "the run's record contains"]);
}

/// A second run must not overwrite the commit marks of the first one. Otherwise, Tacho would report the first run's
/// commits as lost.
#[test]
fn marks_of_a_run_that_is_under_way_are_left_alone() {
    let folder = ONE.folder();
    let run = format!("run tprocc sqlite:a.db -c 2 --ramp-up 0s {VERIFY} --progress json");
    let first = measuring(folder.tacho(&format!("{run} -d 1m")));
    let second = folder.tacho(&format!("{run} --transactions 20")).exits(3);
    second.complains(&["a run in process ", "is writing commit marks to this data"]);
    first.signal(Signal::INT);
    first.wait().says(&["✓ all of "]);
    let record = folder.record("latest");
    let ids = notices(&record["result"]);
    assert!(!ids.contains(&"V06") && !ids.contains(&"V13"), "{ids:?}");
    // After a run has been killed, it must no longer lock the commit marks.
    let killed = measuring(folder.tacho(&format!("{run} -d 1m")));
    killed.signal(Signal::KILL);
    drop(killed.wait());
    folder.tacho(&format!("{run} --transactions 20")).done().says(&["✓ all of "]);
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

/// Each commit leaves a mark in the database. If a commit's mark is missing, Tacho must report an inconsistency. If the
/// marks of another run are missing, it must not report lost commits.
#[test]
fn marks_are_believed_only_as_far_as_they_can_be() {
    let server: Postgres = server_with(TPCB, Options::default());
    let (folder, target, admin) = (Folder::new(), at(&server, "data"), at(&server, "postgres"));
    let run = format!(
        "run tpcb '{target}' -c 2 -d 3s --ramp-up 0s {VERIFY} --on-disconnect reconnect --interval 100ms \
         --progress json"
    );
    let check = format!("check tpcb '{target}' --commits latest");
    let running = measuring(folder.tacho(&run));
    sql(&target, "UPDATE tacho_commits SET commits = commits - 2 WHERE session_id = 1");
    let done = running.wait();
    done.expect_code(4);
    done.says(&["LOST: 2 of", " at the latest", "but the workload's tables contain all of them"]);
    let why = found(&folder)["contradicted"].as_str().expect("a reason").to_owned();
    assert!(why.contains("acknowledged), although each mark is part of its transaction"), "{why}");
    sql(&target, "DELETE FROM tacho_commits WHERE session_id = 1");
    folder.tacho(&check).exits(3).complains(&["the commit marks of session 1 were removed"]);

    for change in
        ["UPDATE tacho_commits SET commits = 7 WHERE session_id < 0", "DELETE FROM tacho_commits"]
    {
        let running = measuring(folder.tacho(&run));
        sql(&target, change);
        sql(
            &admin,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'data'",
        );
        let done = running.wait();
        done.expect_code(4);
        let all = found(&folder);
        assert_eq!((count(&all, "lost"), all["unread"].is_string()), (0, true), "{all}");
        assert!(count(&all, "acknowledged") > 0, "{all}");
        let record = folder.record("latest");
        let ids = notices(&record["result"]);
        assert!(ids.contains(&"V13") && !ids.contains(&"V06"), "{ids:?}");
    }
}

#[test]
fn what_cannot_be_marked_is_refused_before_the_run() {
    let folder = Folder::new();
    let table = [
        ("run tpcb noop --verify commits", "stores no data"),
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

/// Returns the number of commits in the database. Each transaction inserts one row into the history table.
pub fn rows(target: &str) -> u64 {
    let rows = texts(target, "SELECT CAST(count(*) AS char(20)) FROM pgbench_history").concat();
    rows.trim().parse().expect("a number")
}

/// Crashes the server during a load. Counts the acknowledged, lost and recovered commits, and the new rows.
fn through_a_crash<K: Kind>(
    server: &mut TestServer<K>,
    (folder, target, form): (&Folder, &str, &str),
    careless: impl Fn(&TestServer<K>),
) -> [u64; 4] {
    let before = rows(target);
    let run = format!(
        "run tpcb '{target}' -c 4 -d 4s --ramp-up 0s --form {form} --on-disconnect reconnect {VERIFY} \
         --interval 200ms --progress json"
    );
    let mut run = measuring(folder.tacho(&run));
    careless(server);
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
    [count(&all, "acknowledged"), lost, known, rows(target) - before]
}

/// With safe settings, the server must lose nothing. With unsafe settings, Tacho must report exactly the commits that
/// are missing in the database.
pub fn crashes<K: Kind>(
    server: &mut TestServer<K>,
    (target, forms): (&str, &[&str]),
    careless: fn(&TestServer<K>),
) {
    let folder = Folder::new();
    for form in forms {
        let [acknowledged, lost, known, rows] =
            through_a_crash(server, (&folder, target, form), |_| {});
        assert_eq!((lost, rows), (0, acknowledged + known), "{form}");
    }
    // Crash several times, because nothing is lost if the server has written its whole log just before the crash.
    let lossy = (0..4).map(|_| through_a_crash(server, (&folder, target, "sql"), careless));
    let lossy: Vec<[u64; 4]> = lossy.collect();
    for [acknowledged, lost, known, rows] in &lossy {
        assert_eq!(acknowledged + known - lost, *rows, "as the server's own content says");
    }
    assert!(lossy.iter().any(|[_, lost, ..]| *lost > 0), "{lossy:?}");
}

/// Runs a load during a failover to a replica, which the SQL statements in `cut` disconnect beforehand. Returns the
/// number of commits that Tacho reports as lost, and the number of other commits that are missing on the replica.
pub fn fails_over((product, name): (&str, &str), how: &str, cut: &[&str]) -> (u64, i64) {
    let folder = Folder::open();
    let up = folder.tacho(&format!("up {product} --replica {how} -o json")).exits(0).json();
    let replica = up["replica"]["target"].as_str().expect("a target").to_owned();
    folder.tacho(&format!("prepare tpcb {name}")).exits(0);
    let run = format!(
        "run tpcb {name} -c 4 -d 6s --ramp-up 0s --on-disconnect reconnect --interval 200ms \
         --progress json --fault 'at=2s failover' --threshold 'rto<1m' --threshold 'lost<=0' {VERIFY}"
    );
    let run = measuring(folder.tacho(&run));
    for statement in cut {
        sql(&replica, statement);
    }
    let done = run.wait();
    let record = folder.record("latest")["result"].clone();
    let all = &record["acknowledged"];
    let lost = count(all, "lost");
    done.says(&[&format!("fail over {name}"), "first commit after"]);
    assert_eq!(record["faults"][0]["error"], Value::Null, "{record}");
    // The promoted server does not wait for a replica, which is a change of a setting.
    let has_changed = notices(&record).contains(&"V09");
    assert!(!has_changed || how == "sync", "{}", done.out);
    let limits: Vec<bool> = (0..2).map(|at| record["thresholds"][at]["passed"] == true).collect();
    assert_eq!(limits, [true, lost == 0], "{}", done.out);
    let expected = count(all, "acknowledged") + count(all, "unknown_committed") - lost;
    let missing = expected as i64 - rows(&replica) as i64;
    folder.tacho("down --all").exits(0);
    (lost, missing)
}
