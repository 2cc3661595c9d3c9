//! Crashes of servers and disks. With safe settings, no commit may be lost. With unsafe settings, exactly the missing
//! commits must be reported.
//!
//! With `TACHO_CRASHES=200`, there are that many crashes of each kind, and one line is printed for each.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tacho_testkit::early_commits::EarlyCommits;
use tacho_testkit::servers::{Kind, Options, Postgres, TestServer};
use tacho_testkit::volatile_disk::VolatileDisk;
use tacho_tests::{Data, Folder, Signal};

use crate::acknowledged::{TPCB, VERIFY, count, found, rows};
use crate::live::{at, measuring, server_with, texts};

/// Returns the number of crashes of each kind, which is small by default.
fn crashes() -> u32 {
    #[expect(clippy::disallowed_methods, reason = "a long test is asked for by this number")]
    let asked = std::env::var("TACHO_CRASHES").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(4)
}

/// Waits from 20 ms to 600 ms, so that each crash comes at a different moment of the measured load.
fn wait(crash: u32) {
    #[expect(clippy::disallowed_methods, reason = "crashes come at any moment")]
    std::thread::sleep(Duration::from_millis(20 + u64::from(crash * 137 % 580)));
}

/// The outcome of a run's commits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    acknowledged: u64,
    recovered: u64,
    absent: u64,
    pub lost: u64,
    /// Number of sessions that lost their connection. These are all sessions, unless the run had already ended.
    hit: u64,
    /// Number of rows in the database that come from the run's transactions.
    rows: u64,
}

impl Outcome {
    /// Combines the result of the commit log with the number of rows in the database.
    pub fn of(all: &Value, rows: u64) -> Self {
        assert_eq!((count(all, "phantom"), &all["unread"]), (0, &Value::Null), "{all}");
        assert_eq!(count(all, "unknown_unresolved"), 0, "{all}");
        let outcome = Self {
            acknowledged: count(all, "acknowledged"),
            recovered: count(all, "unknown_committed"),
            absent: count(all, "unknown_not_committed"),
            lost: count(all, "lost"),
            hit: 0,
            rows,
        };
        let Self { acknowledged, recovered, lost, .. } = outcome;
        assert_eq!(acknowledged + recovered - lost, rows, "as the database itself says: {all}");
        outcome
    }

    #[expect(clippy::print_stdout, reason = "the raw output of a long run")]
    fn tell(&self, what: &str, crash: u32) {
        let Self { acknowledged, recovered, absent, lost, hit, rows } = self;
        println!(
            "{what:<28} crash {crash:>4}  sessions hit {hit}  acknowledged {acknowledged:>6}  no answer, there \
             {recovered:>2}  no answer, not there {absent:>2}  lost {lost:>6}  rows {rows:>6}"
        );
    }
}

#[expect(clippy::print_stdout, reason = "the raw output of a long run")]
fn sum(what: &str, outcomes: &[Outcome]) {
    let all = |value: fn(&Outcome) -> u64| outcomes.iter().map(value).sum::<u64>();
    println!(
        "{what:<28} {} crashes, {} of them under load: {} acknowledged, {} without an answer, {} lost, {} rows\n",
        outcomes.len(),
        outcomes.iter().filter(|one| one.hit > 0).count(),
        all(|one| one.acknowledged),
        all(|one| one.recovered + one.absent),
        all(|one| one.lost),
        all(|one| one.rows),
    );
}

/// Runs a load on a database file, and cuts the power of its disk. Returns the result of the commit log.
pub fn without_power(
    (folder, disk): (&Folder, &mut VolatileDisk),
    (options, crash): (&str, u32),
    write_back: bool,
) -> Outcome {
    let file = disk.path().join("a.db");
    let target = format!("sqlite:{}?{options}", file.display());
    let history = || Data::open(&file).number("SELECT count(*) FROM pgbench_history") as u64;
    let before = history();
    let run = format!(
        "run tpcb '{target}' -c 2 -d 1m --ramp-up 0s {VERIFY} --interval 100ms --progress json"
    );
    let mut run = measuring(folder.tacho(&run));
    if write_back {
        wait(crash);
        disk.write_back();
        (0..2).for_each(|_| run.until_event(|event| event["event"] == "interval"));
    }
    wait(crash);
    run.signal(Signal::KILL);
    drop(run.wait());
    disk.crash().expect("a disk after a crash");
    let check = format!("check tpcb '{target}' --commits latest -o json");
    let done = folder.tacho(&check).done();
    let mut outcome = Outcome::of(&done.json()["acknowledged"], history() - before);
    outcome.hit = 2;
    done.expect_code(if outcome.lost > 0 { 5 } else { 0 });
    outcome
}

pub fn prepared(options: &str) -> Option<(Folder, VolatileDisk)> {
    let disk = VolatileDisk::start().expect("a folder")?;
    let folder = Folder::new();
    let target = format!("sqlite:{}?{options}", disk.path().join("a.db").display());
    folder.tacho(&format!("prepare {TPCB} '{target}'")).exits(0);
    disk.write_back();
    Some((folder, disk))
}

#[test]
fn sqlite_without_sync_loses_what_the_disk_had_not_written() {
    for options in ["synchronous=off", "synchronous=off&journal_mode=delete"] {
        let Some((folder, mut disk)) = prepared(options) else { return };
        let lossy = |crash| {
            let outcome = without_power((&folder, &mut disk), (options, crash), true);
            outcome.tell(&format!("sqlite {options}"), crash);
            outcome
        };
        let outcomes: Vec<Outcome> = (0..crashes()).map(lossy).collect();
        // Each crash must lose commits, because the commits of the last two intervals were acknowledged but not written
        // to the disk.
        assert!(
            outcomes.iter().all(|outcome| outcome.lost > 0 && outcome.rows > 0),
            "{outcomes:?}"
        );
    }
}

#[test]
fn sqlite_with_sync_loses_nothing_without_power() {
    for options in ["synchronous=full", "synchronous=extra&journal_mode=delete"] {
        let Some((folder, mut disk)) = prepared(options) else { return };
        let crash = |crash| {
            let outcome = without_power((&folder, &mut disk), (options, crash), false);
            outcome.tell(&format!("sqlite {options}"), crash);
            assert_eq!(outcome.lost, 0, "{outcome:?}");
            outcome
        };
        let outcomes: Vec<Outcome> = (0..crashes()).map(crash).collect();
        sum(&format!("sqlite {options}"), &outcomes);
        assert!(outcomes.iter().all(|outcome| outcome.acknowledged > 0), "{outcomes:?}");
    }
}

/// Runs a load while a server is killed and started again. Returns the result of the commit log.
pub fn killed<K: Kind>(
    server: &mut TestServer<K>,
    folder: &Folder,
    (target, crash): (&str, u32),
) -> Outcome {
    let before = rows(target);
    let run = format!(
        "run tpcb '{target}' -c 4 -d 1500ms --ramp-up 0s --on-disconnect reconnect {VERIFY} --interval 100ms \
         --progress json"
    );
    let run = measuring(folder.tacho(&run));
    wait(crash);
    server.kill();
    server.restart().expect("the server again");
    drop(run.wait());
    // Verify the commits again after the run, because the server may have been down until its end.
    let check = folder.tacho(&format!("check tpcb '{target}' --commits latest -o json")).done();
    if !check.out.starts_with('{') {
        tell_log(server.folder());
    }
    let found = check.json()["acknowledged"].clone();
    let new = rows(target) - before;
    let known = count(&found, "acknowledged") + count(&found, "unknown_committed");
    if known - count(&found, "lost") != new {
        tell_difference((folder, server.folder()), target, &found, new);
    }
    let mut outcome = Outcome::of(&found, new);
    let outages = folder.record("latest")["result"]["outages"].clone();
    outcome.hit = outages[0]["sessions_lost"].as_u64().unwrap_or_default();
    check.expect_code(if outcome.lost > 0 { 5 } else { 0 });
    outcome
}

/// Prints details about a database whose commit marks do not match its contents.
#[expect(clippy::print_stdout, reason = "the raw output of a long run")]
fn tell_difference(
    (folder, server_folder): (&Folder, &Path),
    target: &str,
    found: &Value,
    new: u64,
) {
    let text = "SELECT concat(session_id, ': ', commits) FROM tacho_commits ORDER BY session_id";
    let result = &folder.record("latest")["result"];
    println!("{found}\nrows {new}\nmarks {:?}", texts(target, text));
    println!("{}\n{}\n{}", result["errors"], result["outages"], result["accounting"]);
    let log = folder.runs().pop().map(|run| std::fs::read(run.join("commits.bin")));
    println!("{:?}", log.and_then(Result::ok).map(|bytes| words(&bytes, 16 + 4 * 32)));
    let settings = "SELECT concat(variable_name, '=', variable_value) FROM information_schema.global_variables WHERE \
                    variable_name LIKE 'innodb_%flush%' OR variable_name LIKE 'innodb_doublewrite%'";
    if target.starts_with("maria") || target.starts_with("mysql") {
        println!("{:?}", texts(target, settings));
    }
    tell_log(server_folder);
}

/// Prints what the server has written to its log since it was last started.
#[expect(clippy::print_stdout, reason = "the raw output of a long run")]
fn tell_log(server_folder: &Path) {
    let said = std::fs::read(server_folder.join("log")).unwrap_or_default();
    println!("{}", String::from_utf8_lossy(&said));
}

/// Returns the first `count` numbers that a file contains.
fn words(bytes: &[u8], count: usize) -> Vec<u64> {
    let number = |part: &[u8]| part.try_into().map(u64::from_ne_bytes).unwrap_or_default();
    bytes.chunks(8).take(count).map(number).collect()
}

/// Crashes a server whose settings preserve commits. No commit may be lost.
fn keeps_all<K: Kind>(what: &str, settings: &[(&str, &str)]) {
    let mut server: TestServer<K> = server_with(TPCB, Options { settings, ..Options::default() });
    let target = at(&server, "data");
    let folder = Folder::new();
    let crash = |crash| {
        let outcome = killed(&mut server, &folder, (&target, crash));
        outcome.tell(what, crash);
        assert_eq!(outcome.lost, 0, "{outcome:?}");
        outcome
    };
    let outcomes: Vec<Outcome> = (0..crashes()).map(crash).collect();
    sum(what, &outcomes);
    assert!(outcomes.iter().all(|outcome| outcome.acknowledged > 0), "{outcomes:?}");
    // On a busy machine, the run may have ended before the crash.
    let hits = outcomes.iter().filter(|outcome| outcome.hit > 0).count();
    assert!(2 * hits > outcomes.len(), "{outcomes:?}");
}

#[test]
fn postgres_with_sync_loses_nothing_when_it_is_killed() {
    let settings = [("fsync", "on"), ("full_page_writes", "on"), ("synchronous_commit", "on")];
    keeps_all::<tacho_testkit::servers::PostgresKind>("postgres synchronous_commit=on", &settings);
}

#[test]
fn mariadb_with_sync_loses_nothing_when_it_is_killed() {
    let settings = [("innodb-flush-log-at-trx-commit", "1")];
    keeps_all::<tacho_testkit::servers::MariaDbKind>("mariadb flush_log=1", &settings);
}

#[test]
fn a_commit_that_is_acknowledged_too_early_is_lost() {
    let server: Postgres = server_with(TPCB, Options::default());
    let direct = at(&server, "data");
    let proxy = EarlyCommits::start(server.port()).expect("a proxy");
    let target = format!("postgres://postgres@127.0.0.1:{}/data?sslmode=disable", proxy.port());
    let folder = Folder::new();
    for form in ["sql", "pipelined"] {
        let before = rows(&direct);
        let run = format!(
            "run tpcb '{target}' -c 4 -d 3s --ramp-up 0s --form {form} --on-disconnect reconnect {VERIFY} \
             --interval 100ms --progress json"
        );
        let mut run = measuring(folder.tacho(&run));
        proxy.answer_early();
        (0..3).for_each(|_| run.until_event(|event| event["event"] == "interval"));
        let answered = proxy.crash();
        let done = run.wait();
        done.expect_code(4);
        done.says(&["LOST"]);
        let outcome = Outcome::of(&found(&folder), rows(&direct) - before);
        outcome.tell(&format!("postgres early {form}"), 0);
        // The client may not have received responses that were sent just before the connections were closed.
        assert!(outcome.lost > 0 && outcome.lost <= answered, "{outcome:?}, {answered} answered");
        assert!(answered - outcome.lost <= 4, "{outcome:?}, {answered} answered");
    }
}
