//! Faults of a private server and of its network, all in one run. The run must recognize each
//! fault, and no acknowledged commit may be lost.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tacho_tests::{Folder, Signal};

pub const RUN: &str = "run tpcb pg -c 4 --ramp-up 0s --interval 200ms --on-disconnect reconnect \
                   --verify commits --check none";

pub fn seconds(of: &Value, name: &str) -> f64 {
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

    // Three of the faults are not outages, because no session loses its connection. In these faults, the network is cut
    // for a short time, the network is slow, or the server is paused.
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
    // The proxy was closed for 700 ms, but the measured outage may be a little shorter. It starts only when a session
    // notices that it has lost its connection.
    let [reset, away] = [seconds(&made[1], "took_s"), seconds(&outages[0]["away"], "min_s")];
    assert!(away > 0.9 * reset, "away for {away} s, closed for {reset} s");

    let found = &record["acknowledged"];
    assert_eq!((&found["lost"], &found["phantom"]), (&0.into(), &0.into()), "{found}");
    assert!(found["unread"].is_null(), "{found}");
    // The server monitor has reconnected.
    let notices = record["notices"].as_array().expect("notices");
    let unwatched: Vec<&Value> = notices.iter().filter(|notice| notice["id"] == "W13").collect();
    assert!(unwatched.iter().all(|notice| notice.to_string().contains("was not monitored for")));
    assert_eq!(unwatched.len(), 1, "{notices:?}");

    folder.tacho("report latest -o page.md").exits(0);
    let page = String::from_utf8(folder.read("page.md")).expect("a page");
    for expected in ["## Outages", "first commit (RTO)", "outage 3", "used a Tacho proxy"] {
        assert!(page.contains(expected), "{expected} is missing in\n{page}");
    }
    folder.tacho("down --all").exits(0);
}

#[test]
fn the_verdict_of_a_run_with_a_fault_is_that_of_its_undisturbed_time() {
    let folder = Folder::open();
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    let done = folder.tacho(&format!("{RUN} -d 10s --rate 100 --fault 'at=5s kill for=1s'")).done();
    let result = folder.record("latest")["result"].clone();
    let quiet = &result["undisturbed"];
    let (length_s, away) = (seconds(quiet, "length_s"), &result["outages"][0]);
    assert!(length_s > 4.0 && length_s < 9.0, "{quiet}");
    let rates = [&quiet["throughput_per_s"], &result["throughput_per_s"]].map(Value::as_f64);
    assert!(rates[0] > rates[1].map(|rate| 0.9 * rate), "{rates:?}");
    assert!(seconds(away, "first_commit_after_s") > 0.0, "{away}");
    let words = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [" in the undisturbed ", "; kill pg for 1s at 5", " s: away "] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let whole = &result["interval_95"];
    let width = |of: &Value| (seconds(of, "high") - seconds(of, "low")) / seconds(of, "value");
    assert!(width(&quiet["interval_95"]) < width(whole), "{quiet} {whole}");
    folder.tacho("report latest -o page.md").exits(0);
    let page = String::from_utf8(folder.read("page.md")).expect("a page");
    let place = page.find("othing lost of").expect("commits");
    assert!(place < page.find("## ").expect("a section"), "{page}");
    folder.tacho("down --all").exits(0);
}

/// A checkpoint can be requested like any other fault. Every run of a sweep on a private server starts with one.
#[test]
fn a_checkpoint_is_a_fault_and_precedes_each_run_of_a_sweep() {
    let folder = Folder::open();
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    let checkpoints = || -> i64 {
        let sql = "SELECT checkpoints_req FROM pg_stat_bgwriter";
        let target = folder.tacho("list servers -o json").exits(0).json()[0]["target"].clone();
        let target = target.as_str().expect("a target").to_owned();
        let done = folder.shell(&format!("psql -X -A -t '{target}' -c '{sql}'")).done();
        done.out.trim().parse().unwrap_or_else(|_| panic!("{}{}", done.out, done.err))
    };
    let before = checkpoints();
    let run = "run tpcb pg -c 2 --ramp-up 0s --check none";
    folder.tacho(&format!("{run} -d 2s --fault 'at=500ms checkpoint'")).done();
    let faults = folder.record("latest")["result"]["faults"].clone();
    assert_eq!(faults[0]["what"], "checkpoint of pg", "{faults}");
    assert!(faults[0]["error"].is_null(), "{faults}");
    let after = checkpoints();
    assert!(after > before, "{after} after {before}");
    let sweep = "sweep tpcb pg --vary sessions=1,2 --transactions 50 --ramp-up 0s --check none";
    folder.tacho(sweep).exits(0);
    assert!(checkpoints() >= after + 2, "{} after {after}", checkpoints());
    folder.tacho("down --all").exits(0);
}

#[test]
fn a_full_disk_fails_transactions_and_loses_nothing() {
    let folder = Folder::open();
    let servers = folder.file("tacho-data/servers");
    std::fs::create_dir_all(&servers).expect("a folder");
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    let fill = format!("{RUN} -d 5s --fault 'at=1s fill for=2s'");
    folder.tacho(&fill).exits(2).complains(&["also contains other files", "tmpfs"]);
    folder.tacho("down --all").exits(0);

    std::fs::create_dir_all(&servers).expect("a folder");
    let Some(_mounted) = mount(&servers) else { return };
    let ballast = servers.join("pg/tacho-ballast");
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
}

/// The next command must lift a disk limit that a killed command has left behind. Otherwise, the
/// next run would measure a slow disk without noticing.
pub fn a_limit_of_a_killed_command_is_ended(folder: &Folder) {
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

pub struct Mounted(PathBuf);

/// Mounts a small file system on the folder for servers. If that fails, prints a message and returns `None`.
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
pub fn mount(servers: &Path) -> Option<Mounted> {
    let mount = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=300m", "tmpfs"])
        .arg(servers)
        .output();
    if mount.is_ok_and(|done| done.status.success()) {
        return Some(Mounted(servers.to_owned()));
    }
    eprintln!("NOT TESTED: a full disk (mount needs root)");
    None
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
