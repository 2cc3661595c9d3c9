//! Tests with damaged commit logs, lost commits, commits that are acknowledged too early, and other clients that write.
//! Tacho must report each loss, and must never report a loss that did not happen.

#![expect(clippy::disallowed_methods, reason = "commit logs are damaged on purpose")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use tacho_testkit::early_commits::EarlyCommits;
use tacho_testkit::servers::{MariaDb, MariaDbKind, Options, Postgres, PostgresKind};
use tacho_tests::Data;

use super::trial::Trial;
use crate::acknowledged::{TPCB, VERIFY, count, found, rows};
use crate::extended::crashes::{Outcome, killed, prepared, without_power};
use crate::live::{at, measuring, notices, server_with};

const QUIET: &str = "--progress none -o quiet";

pub fn perform(trial: &mut Trial) {
    match trial.below(10) {
        0..=4 => damaged_log(trial),
        5 | 6 => foreign_writer(trial),
        7 => early_commits(trial),
        8 => cut_power(trial),
        _ => killed_server(trial),
    }
}

/// Runs transactions on a new database file. Returns the number of acknowledged commits.
fn run_with_marks(trial: &Trial) -> u64 {
    trial.folder.tacho(&format!("prepare tpcb sqlite:a.db {QUIET}")).exits(0);
    let run = "run tpcb sqlite:a.db -c 3 --transactions 90 --ramp-up 0s";
    let code = trial.tacho(&format!("{run} {VERIFY} {QUIET}")).code();
    assert!(matches!(code, 0 | 4), "{code}");
    count(&found(&trial.folder), "acknowledged")
}

/// Damages the commit log in a random way. Returns true if Tacho may still accept the log with its original content.
fn damage(trial: &mut Trial, log: &Path) {
    let mut bytes = fs::read(log).expect("the commit log");
    // The file starts with the notes about each session's commits. The rest of the file contains the times of commits.
    let notes = 8 * (16 + 3 * 2 * 16);
    let range = if trial.chance(75) { notes } else { bytes.len() as u64 };
    let place = trial.below(range) as usize;
    let what = match trial.below(7) {
        0..=2 => {
            let bit = trial.below(8);
            bytes[place] ^= 1 << bit;
            format!("bit {bit} of byte {place} flipped")
        }
        3 => {
            let word = place / 8 * 8;
            let value = bytes[word].wrapping_add(1 + trial.below(9) as u8);
            bytes[word] = value;
            format!("word {} changed", word / 8)
        }
        4 => {
            let end = bytes.len().min(place + 8 + trial.below(300) as usize);
            bytes[place..end].fill(0);
            format!("bytes {place} to {end} cleared")
        }
        5 => {
            bytes.truncate(place);
            format!("cut at byte {place}")
        }
        _ => {
            // The notes of two sessions change places.
            let copy = 8 * 2 * 16;
            let (first, second) = bytes[8 * 16..].split_at_mut(copy);
            first.swap_with_slice(&mut second[..copy]);
            "two sessions exchanged".to_owned()
        }
    };
    trial.note(what);
    fs::write(log, bytes).expect("written");
}

/// Changes the number of commit marks, as if a commit had been lost or another client had committed. Returns the number
/// of lost commits and the number of additional commits.
fn change_marks(trial: &mut Trial) -> (u64, u64) {
    let data = Data::open(&trial.folder.file("a.db"));
    let busiest = data.number(
        "SELECT session_id FROM tacho_commits WHERE session_id >= 0 ORDER BY commits DESC LIMIT 1",
    );
    let (lost, added) = match trial.below(4) {
        0 | 1 => (1 + trial.below(5), 0),
        2 => (0, 1 + trial.below(5)),
        _ => (0, 0),
    };
    trial.note(format!("{lost} lost, {added} added"));
    data.run(&format!(
        "UPDATE tacho_commits SET commits = commits - {lost} + {added} WHERE session_id = {busiest}"
    ));
    (lost, added)
}

/// Tests a damaged commit log together with lost marks. The check must either report the right numbers or compare
/// nothing.
fn damaged_log(trial: &mut Trial) {
    let acknowledged = run_with_marks(trial);
    let log = trial.folder.runs()[0].join("commits.bin");
    let (lost, added) = change_marks(trial);
    let is_damaged = trial.chance(80);
    if is_damaged {
        damage(trial, &log);
    }
    let done = trial.tacho("check tpcb sqlite:a.db --commits latest -o json");
    trial.note(format!("exit {}", done.code()));
    if done.code() == 3 {
        assert!(is_damaged && done.out.is_empty(), "{}", done.err);
        return;
    }
    let all = &done.json()["acknowledged"];
    let numbers = ["acknowledged", "lost", "phantom"].map(|name| count(all, name));
    assert_eq!(numbers, [acknowledged, lost, added], "{all}");
    done.expect_code(if lost + added > 0 { 5 } else { 0 });
}

/// Waits until there are more commit marks than now. Returns false if there are none for a second.
fn grows(data: &Data) -> bool {
    let marks =
        || data.number("SELECT coalesce(sum(commits), 0) FROM tacho_commits WHERE session_id >= 0");
    let before = marks();
    (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        marks() > before
    })
}

/// Another client changes the workload's tables, or Tacho's commit marks, during a run.
fn foreign_writer(trial: &mut Trial) {
    trial.folder.tacho(&format!("prepare tpcb sqlite:a.db {QUIET}")).exits(0);
    let run = format!(
        "run tpcb sqlite:a.db -c 2 -d 3s --ramp-up 0s {VERIFY} --interval 100ms --progress json"
    );
    let running = measuring(trial.folder.tacho(&run));
    let data = Data::open(&trial.folder.file("a.db"));
    data.run("PRAGMA busy_timeout = 60000");
    let lost = 1 + trial.below(4);
    let busiest = "(SELECT session_id FROM tacho_commits WHERE session_id >= 0 ORDER BY commits DESC LIMIT 1)";
    let other = "UPDATE pgbench_tellers SET tbalance = tbalance + 5 WHERE tid = 1;
         UPDATE pgbench_branches SET bbalance = bbalance + 5;
         UPDATE pgbench_accounts SET abalance = abalance + 5 WHERE aid = 7;
         INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) SELECT 1, bid, 7, 5, mtime FROM
         (SELECT bid FROM pgbench_branches), (SELECT max(mtime) AS mtime FROM pgbench_history);";
    let (what, script, expected) = match trial.below(4) {
        0 => ("a transaction like Tacho's", other.to_owned(), [Some(0), Some(0)]),
        1 => (
            "a history row",
            "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (1, 1, 1, 9, 0);"
                .to_owned(),
            [Some(0), Some(0)],
        ),
        2 => (
            "marks removed",
            format!("DELETE FROM tacho_commits WHERE session_id = {busiest};"),
            [None, None],
        ),
        _ => (
            "marks lowered",
            format!(
                "UPDATE tacho_commits SET commits = commits - {lost} WHERE session_id = {busiest};"
            ),
            [Some(lost), Some(0)],
        ),
    };
    trial.note(what);
    // On a busy machine, the change might come before the first transaction or after the last.
    let is_between = grows(&data) && {
        data.run(&format!("BEGIN IMMEDIATE; {script} COMMIT"));
        grows(&data)
    };
    drop(data);
    let done = running.wait();
    if !is_between {
        trial.void("not during the load");
        return;
    }
    assert!(matches!(done.code(), 0 | 4 | 5), "{done:?}");
    let record = trial.folder.record("latest");
    let (all, ids) = (found(&trial.folder), notices(&record["result"]));
    if expected == [None, None] {
        // If a session's row was deleted, its commits must not be reported as complete. Tacho cannot compare the
        // session, or its next transaction has failed because the row was missing.
        assert!(!done.out.contains("✓ all of"), "{}", done.out);
        return;
    }
    let numbers = [count(&all, "lost"), count(&all, "phantom")].map(Some);
    assert_eq!(numbers, expected, "{all}");
    assert_eq!(ids.contains(&"V06"), expected[0] > Some(0), "{ids:?} {}", done.out);
    assert_eq!(done.out.contains("✓ all of"), expected[0] == Some(0), "{}", done.out);
}

/// A proxy acknowledges commits that never reach the server.
fn early_commits(trial: &mut Trial) {
    let server: Postgres = server_with(TPCB, Options::default());
    let direct = at(&server, "data");
    let proxy = EarlyCommits::start(server.port()).expect("a proxy");
    let target = format!("postgres://postgres@127.0.0.1:{}/data?sslmode=disable", proxy.port());
    let form = *trial.pick(&["sql", "pipelined"]);
    let intervals = trial.below(6);
    trial.note(format!("{form}, {intervals} intervals of early commits"));
    let run = format!(
        "run tpcb '{target}' -c 4 -d 3s --ramp-up 0s --form {form} --on-disconnect reconnect {VERIFY} \
         --interval 100ms --progress json"
    );
    let before = rows(&direct);
    let mut run = measuring(trial.folder.tacho(&run));
    if intervals > 0 {
        proxy.answer_early();
        (0..intervals).for_each(|_| run.until_event(|event| event["event"] == "interval"));
    }
    let answered = proxy.crash();
    let done = run.wait();
    let outcome = Outcome::of(&found(&trial.folder), rows(&direct) - before);
    trial.note(format!("{answered} acknowledged early, {} lost", outcome.lost));
    // Responses sent just before the connections were closed may not have arrived.
    assert!(outcome.lost <= answered && answered - outcome.lost <= 4, "{answered} answered");
    assert_eq!(done.out.contains("LOST"), outcome.lost > 0, "{}", done.out);
    assert!(outcome.lost == 0 || done.code() == 4, "{}", done.code());
}

/// If the power fails, the simulated disk loses everything that was not synced.
fn cut_power(trial: &mut Trial) {
    let (options, is_safe) = *trial.pick(&[
        ("synchronous=off", false),
        ("synchronous=off&journal_mode=delete", false),
        ("synchronous=full", true),
        ("synchronous=extra&journal_mode=delete", true),
    ]);
    let moment = trial.below(580) as u32;
    trial.note(format!("disk without power, {options}"));
    let Some((folder, mut disk)) = prepared(options) else {
        return trial.void("the disk cannot be simulated here");
    };
    // Without any write-back, an unsafe disk would lose the table of the commit marks too.
    let outcome = without_power((&folder, &mut disk), (options, moment), !is_safe);
    trial.note(format!("{} lost", outcome.lost));
    assert!(!is_safe || outcome.lost == 0, "{outcome:?}");
}

/// A server with safe settings is killed during a run.
fn killed_server(trial: &mut Trial) {
    let moment = trial.below(580) as u32;
    let outcome = if trial.chance(50) {
        trial.note("PostgreSQL killed");
        let settings = &[("fsync", "on"), ("full_page_writes", "on"), ("synchronous_commit", "on")];
        let mut server: Postgres = server_with(TPCB, Options { settings, ..Options::default() });
        let target = at(&server, "data");
        killed::<PostgresKind>(&mut server, &trial.folder, (&target, moment))
    } else {
        trial.note("MariaDB killed");
        let settings = &[("innodb-flush-log-at-trx-commit", "1")];
        let mut server: MariaDb = server_with(TPCB, Options { settings, ..Options::default() });
        let target = at(&server, "data");
        killed::<MariaDbKind>(&mut server, &trial.folder, (&target, moment))
    };
    assert_eq!(outcome.lost, 0, "{outcome:?}");
}
