//! Tests of outages of several products, and of how long they last.

use crate::live::{sql, texts};
use crate::outages::{RUN, a_limit_of_a_killed_command_is_ended, seconds};
use serde_json::Value;
use tacho_testkit::permits::{Group, permit};
use tacho_tests::Folder;

/// If transactions arrive at a fixed rate, the measured outage must be as long as the proxy's outage. The first session
/// that reconnects runs the transactions that are waiting.
#[test]
fn a_measured_outage_is_that_of_the_proxy() {
    const INTERVAL_S: f64 = 0.25;
    let folder = Folder::open();
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    let _permit = permit(Group::Timing);
    let faults = ["at=2s reset for=1500ms", "at=6s reset for=2500ms", "at=11s reset for=800ms"];
    let faults = faults.map(|fault| format!("--fault '{fault}'")).join(" ");
    let limits = "--threshold 'rto<20s' --threshold 'rto<400ms' --threshold 'lost<=0'";
    // With only two sessions, each session has to start a transaction during each outage, so both sessions notice it.
    let run = RUN.replace("-c 4", "-c 2");
    let run = format!("{run} -r {} --spacing uniform -d 14s {faults} {limits}", 1.0 / INTERVAL_S);
    let done = folder.tacho(&run).done();
    let record = folder.record("latest")["result"].clone();
    let outages = record["outages"].as_array().expect("outages");
    let made = record["faults"].as_array().expect("faults");
    assert_eq!((outages.len(), made.len()), (3, 3), "{outages:?}\n{}", done.err);
    // Allow for the longest pause of Tacho on this machine, because a transaction may have started late by this amount
    // of time.
    let stopped = seconds(&record["tool"]["hiccups"], "longest_s");
    for (outage, fault) in outages.iter().zip(made) {
        let (measured, closed) =
            (seconds(outage, "first_commit_after_s"), seconds(fault, "took_s"));
        let error = (measured - closed).abs();
        assert!(
            error <= INTERVAL_S + stopped,
            "{measured} s measured, closed for {closed} s, stopped for {stopped} s"
        );
    }
    let passed = (0..3).map(|at| record["thresholds"][at]["passed"].clone());
    assert_eq!(passed.collect::<Vec<Value>>(), [true, false, true], "{}", done.out);
    folder.tacho("down --all").exits(0);
}

/// Waits until a condition holds. Returns false if it does not hold within 20 seconds.
#[expect(clippy::disallowed_methods, reason = "servers are waited for in real time")]
fn eventually(holds: impl Fn() -> bool) -> bool {
    (0..200).any(|_| {
        let holds = holds();
        if !holds {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        holds
    })
}

/// A replica of either product is promoted during a load, either by a fault or by a command of the user.
#[test]
fn a_replica_is_promoted_during_a_run() {
    // Queries that count the processes for replication. They exist only while a replica follows a primary.
    let followers = [
        "SELECT CAST(count(*) AS text) FROM pg_stat_activity WHERE backend_type = 'walreceiver'",
        "SELECT CAST(count(*) AS char(9)) FROM information_schema.processlist WHERE command LIKE 'Slave%'",
    ];
    let products = [("postgres", "pg", followers[0]), ("mariadb", "maria", followers[1])];
    for (product, name, followers) in products {
        for by_command in [false, true] {
            let folder = Folder::open();
            let up = folder.tacho(&format!("up {product} --replica async -o json")).exits(0).json();
            let replica = &up["replica"];
            let target = replica["target"].as_str().expect("a target");
            folder.tacho(&format!("prepare tpcb {name}")).exits(0);
            assert!(eventually(|| texts(target, followers) != ["0"]), "{product} follows nobody");
            let place = replica["folder"].as_str().expect("a folder");
            let how = match (by_command, product) {
                (false, _) => format!("--fault 'at=1s promote {name}-replica'"),
                (true, "postgres") => {
                    let port = &replica["port"];
                    folder.write(
                        "promote.sh",
                        &format!(
                            "psql -h {place} -p {port} -U postgres -c 'SELECT pg_promote()'\n"
                        ),
                    );
                    "--fault-command 'at=1s sh promote.sh'".to_owned()
                }
                (true, _) => {
                    let client = format!("mariadb --no-defaults -u root -S {place}/s.sock");
                    folder.write(
                        "promote.sh",
                        &format!("{client} -e 'STOP SLAVE; RESET SLAVE ALL'\n"),
                    );
                    "--fault-command 'at=1s sh promote.sh'".to_owned()
                }
            };
            let run = format!(
                "run tpcb {name} -c 2 -d 4s --ramp-up 0s --verify commits --check none {how}"
            );
            let done = folder.tacho(&run).done();
            let record = folder.record("latest")["result"].clone();
            let fault = &record["faults"][0];
            assert!(fault["error"].is_null(), "{product}: {fault}\n{}", done.err);
            assert_eq!(record["acknowledged"]["lost"], 0, "{product}: {}", done.out);
            let outages = &record["outages"];
            assert_eq!(outages.as_array().map(Vec::len), Some(0), "{product}: {outages}");
            // The replica must accept writes and must not follow a primary any more.
            sql(target, "CREATE TABLE promoted (a INTEGER)");
            assert!(eventually(|| texts(target, followers) == ["0"]), "{product} still follows");
            folder.tacho("down --all").exits(0);
        }
    }
}

/// Only the server's disk is made slow, and only for the requested time. The commit rate must drop and then recover.
#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn a_slow_disk_slows_commits_down_and_no_longer() {
    // Do not use a test's usual folder, because it is in memory, where no disk device can be slowed down.
    let folder = Folder::on_disk();
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    let slow = "--fault 'at=3s slow iops=20 for=3s'";
    let done = folder.tacho(&format!("{RUN} -d 9s {slow}")).done();
    if done.code() == 2 {
        done.complains(&["cannot limit the server's disk", "control groups", "--dir"]);
        eprintln!("NOT TESTED: a slow disk: {}", done.err.lines().next().unwrap_or_default());
        folder.tacho("down --all").exits(0);
        return;
    }
    let record = folder.record("latest")["result"].clone();
    let made = &record["faults"][0];
    assert!(made["error"].is_null(), "{made}");
    assert_eq!(made["what"], "slow pg's disk to 20 reads and writes per second for 3s");
    // Compare windows of two seconds before, during and after the slowdown. Skip seconds in which the disk was slow for
    // only a part.
    let csv = folder.tacho("report --table intervals").exits(0).out;
    let commits = |from: f64| -> f64 {
        let rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let points = rows.filter(|row| row[5] == "all").map(|row| [row[1], row[6]]);
        let points = points.map(|row| row.map(|number| number.parse::<f64>().expect("a number")));
        points.filter(|[at, _]| (from..from + 2.0).contains(at)).map(|[_, commits]| commits).sum()
    };
    let [before, during, after] = [0.8, 3.6, 6.8].map(commits);
    assert!(during < before / 4.0 && during < after / 4.0, "{before}, {during}, {after}");
    assert_eq!(record["acknowledged"]["lost"], 0, "{record}");
    assert_eq!(record["outages"].as_array().map(Vec::len), Some(0), "{record}");
    a_limit_of_a_killed_command_is_ended(&folder);
    folder.tacho("down --all").exits(0);
}
