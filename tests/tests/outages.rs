//! Faults of a private server and of the way to it, made during one run: each is seen as what it is, and no
//! acknowledged commit is missing.

use serde_json::Value;
use tacho_testkit::permits::{Group, permit};
use tacho_tests::{Folder, Signal};

use crate::left_behind::written;
use crate::live::{sql, texts};

const RUN: &str = "run tpcb pg -c 4 --ramp-up 0s --interval 200ms --on-disconnect reconnect \
                   --verify commits --check none";

fn seconds(of: &Value, name: &str) -> f64 {
    of[name].as_f64().unwrap_or_else(|| panic!("{name}: {of}"))
}

#[test]
fn each_fault_is_seen_as_what_it_is() {
    let folder = Folder::open();
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    let faults = [
        "at=1s cut for=600ms",
        "at=3s reset for=700ms",
        "at=5s delay by=5ms for=500ms",
        "at=7s pause for=600ms",
        "at=9s kill for=500ms",
        "at=14s restart",
    ];
    let faults = faults.map(|fault| format!("--fault '{fault}'")).join(" ");
    let done = folder.tacho(&format!("{RUN} -d 19s {faults} -o json")).done();
    let record = folder.record("latest")["result"].clone();
    let made = record["faults"].as_array().expect("faults");
    assert!(made.iter().all(|fault| fault["error"].is_null()), "{made:?}\n{}", done.err);
    let proxied = made.iter().map(|fault| fault["proxied"] == true);
    assert_eq!(proxied.collect::<Vec<_>>(), [true, true, true, false, false, false]);

    // A cut line, a slow one and a server that stands still lose no connection.
    let outages = record["outages"].as_array().expect("outages");
    assert_eq!(outages.len(), 3, "{outages:?}");
    for (outage, fault) in outages.iter().zip([&made[1], &made[4], &made[5]]) {
        assert!(seconds(outage, "at_s") >= seconds(fault, "at_s"), "{outage} {fault}");
        assert_eq!((&outage["sessions_lost"], &outage["sessions_missing"]), (&4.into(), &0.into()));
        let away = &outage["away"];
        assert_eq!(away["sessions"], 4, "{outage}");
        let times = ["min_s", "p50_s", "p95_s", "max_s"].map(|name| seconds(away, name));
        assert!(times.is_sorted(), "{away}");
    }
    // What was closed for 700 ms was away for as long, less what passed before the first loss was seen.
    let [reset, away] = [seconds(&made[1], "took_s"), seconds(&outages[0]["away"], "min_s")];
    assert!(away > 0.9 * reset, "away for {away} s, closed for {reset} s");

    let found = &record["acknowledged"];
    assert_eq!((&found["lost"], &found["phantom"]), (&0.into(), &0.into()), "{found}");
    assert!(found["unread"].is_null(), "{found}");
    // The watch of the server has connected again.
    let notices = record["notices"].as_array().expect("notices");
    let unwatched: Vec<&Value> = notices.iter().filter(|notice| notice["id"] == "W13").collect();
    assert!(unwatched.iter().all(|own| own.to_string().contains("was not watched for")));
    assert_eq!(unwatched.len(), 1, "{notices:?}");

    folder.tacho("report latest -o page.md").exits(0);
    let page = String::from_utf8(folder.read("page.md")).expect("a page");
    for expected in ["## Outages", "first commit (RTO)", "outage 3", "used a proxy of Tacho"] {
        assert!(page.contains(expected), "{expected} is missing in\n{page}");
    }
    folder.tacho("down --all").exits(0);
}

/// On open arrivals, the time without the server is that for which the proxy was closed, as it has measured itself: the
/// loss is seen by the next arrival, and what is due then is done by the first session that is back.
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
    // Each session has an arrival in each outage, and so notices it then.
    let run = RUN.replace("-c 4", "-c 2");
    let run = format!("{run} -r {} --spacing uniform -d 14s {faults} {limits}", 1.0 / INTERVAL_S);
    let done = folder.tacho(&run).done();
    let record = folder.record("latest")["result"].clone();
    let outages = record["outages"].as_array().expect("outages");
    let made = record["faults"].as_array().expect("faults");
    assert_eq!((outages.len(), made.len()), (3, 3), "{outages:?}\n{}", done.err);
    // An arrival is late by what the machine has stopped us.
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

/// The replicas of both products are promoted by a fault, or by the user's own command, while the load continues.
#[test]
fn a_replica_is_promoted_during_a_run() {
    // The process that follows a primary.
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
            assert_ne!(texts(target, followers), ["0"], "{product}");
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
            folder.tacho(&run).done();
            let record = folder.record("latest")["result"].clone();
            let fault = &record["faults"][0];
            assert!(fault["error"].is_null(), "{fault}");
            assert_eq!(record["acknowledged"]["lost"], 0, "{record}");
            assert_eq!(record["outages"].as_array().map(Vec::len), Some(0), "{record}");
            // It takes writes of its own, and follows no primary any more.
            sql(target, "CREATE TABLE promoted (a INTEGER)");
            assert_eq!(texts(target, followers), ["0"], "{product}");
            folder.tacho("down --all").exits(0);
        }
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn a_full_disk_fails_transactions_and_loses_nothing() {
    let folder = Folder::open();
    let servers = folder.file("tacho-data/servers");
    std::fs::create_dir_all(&servers).expect("a folder");
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    let fill = format!("{RUN} -d 5s --fault 'at=1s fill for=2s'");
    folder.tacho(&fill).exits(2).complains(&["holds more than private servers", "tmpfs"]);
    folder.tacho("down --all").exits(0);

    std::fs::create_dir_all(&servers).expect("a folder");
    let mount = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=300m", "tmpfs"])
        .arg(&servers)
        .output();
    if !mount.is_ok_and(|done| done.status.success()) {
        eprintln!("NOT TESTED: a full disk (mount needs root)");
        return;
    }
    let ballast = servers.join("pg/tacho-ballast");
    let _mounted = Mounted(servers);
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    folder.tacho(&fill).done();
    let record = folder.record("latest")["result"].clone();
    assert!(record["faults"][0]["error"].is_null(), "{record}");
    let errors = record["errors"].as_array().expect("errors");
    let is_full = |error: &Value| error["kind"] == "resource" || error["kind"] == "connect";
    assert!(errors.iter().any(is_full), "{errors:?}");
    assert_eq!(record["acknowledged"]["lost"], 0, "{record}");
    assert!(!ballast.exists());

    let run = folder.tacho(&format!("{RUN} -d 60s --fault 'at=100ms fill for=60s'")).start();
    written(|| ballast.exists().then(|| ballast.clone()));
    run.signal(Signal::KILL);
    run.wait();
    assert!(ballast.exists(), "the file outlives the run");
    let next = folder.tacho(&format!("{RUN} -d 1s")).done();
    next.complains(&["freed the disk of pg, which a killed run had filled"]);
    assert!(!ballast.exists());
    folder.tacho("check tpcb pg").exits(0);
    folder.tacho("down --all").exits(0);
}

/// The disk is slow only for the server and only for the time asked for: what is done each second falls and comes back.
#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn a_slow_disk_slows_commits_down_and_no_longer() {
    // Other folders of the tests are in memory, which has no device.
    let folder = Folder::on_disk();
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    let slow = "--fault 'at=3s slow iops=20 for=3s'";
    let done = folder.tacho(&format!("{RUN} -d 9s {slow}")).done();
    if done.code() == 2 {
        done.complains(&["the disk of the server cannot be limited", "control groups", "--dir"]);
        eprintln!("NOT TESTED: a slow disk: {}", done.err.lines().next().unwrap_or_default());
        folder.tacho("down --all").exits(0);
        return;
    }
    let record = folder.record("latest")["result"].clone();
    let made = &record["faults"][0];
    assert!(made["error"].is_null(), "{made}");
    assert_eq!(made["what"], "slow the disk of pg to 20 reads and writes/s for 3s");
    // Two seconds of each; what is at the borders is of both.
    let csv = folder.tacho("report --table intervals").exits(0).out;
    let commits = |from: f64| -> f64 {
        let rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let own = rows.filter(|row| row[5] == "all").map(|row| [row[1], row[6]]);
        let own = own.map(|row| row.map(|number| number.parse::<f64>().expect("a number")));
        own.filter(|[at, _]| (from..from + 2.0).contains(at)).map(|[_, commits]| commits).sum()
    };
    let [before, during, after] = [0.8, 3.6, 6.8].map(commits);
    assert!(during < before / 4.0 && during < after / 4.0, "{before}, {during}, {after}");
    assert_eq!(record["acknowledged"]["lost"], 0, "{record}");
    assert_eq!(record["outages"].as_array().map(Vec::len), Some(0), "{record}");
    a_limit_of_a_killed_command_is_ended(&folder);
    folder.tacho("down --all").exits(0);
}

/// The next measurement would be one of a slow disk, and not say so.
fn a_limit_of_a_killed_command_is_ended(folder: &Folder) {
    let limit = "-d 60s --progress plain --fault 'at=1s slow iops=20 for=60s'";
    let mut run = folder.tacho(&format!("{RUN} {limit}")).start();
    run.until(|line| line.contains("00:03"));
    run.signal(Signal::KILL);
    run.wait();
    let throughput = |more: &str| {
        folder.tacho(&format!("{RUN} -d 2s {more}")).done();
        let record = folder.record("latest");
        record["result"]["accounting"]["committed"].as_u64().expect("a count")
    };
    let [after, slow] = ["", "--fault 'at=0s slow iops=20 for=2s'"].map(throughput);
    assert!(slow < after / 4, "{slow} with a slow disk, {after} without");
}

struct Mounted(std::path::PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
