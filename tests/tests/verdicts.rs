//! Every result is shown together with its reliability, and changes to a record are detected.

#![expect(clippy::disallowed_methods, reason = "a test damages the files of a run")]

use std::path::PathBuf;

use crate::prepared::ONE;
use serde_json::Value;
use tacho_tests::{Folder, Terminal};

/// A run with steady throughput on a simulated server, in virtual time.
const STEADY: &str = "run tprocc sim -c 4 -d 20s --ramp-up 1s -o quiet";
/// A simulated server that stalls for four out of every five seconds.
const STALLED: &str =
    "run tprocc 'sim:?stall_every=5s&stall=4s' -c 4 -d 20s --ramp-up 1s --progress none";
/// A sweep with three points.
const LADDER: &str = "sweep tpcb sim -d 10s --ramp-up 0s --vary sessions=1,2,3";

fn record_of(folder: &Folder, id: &str) -> PathBuf {
    let runs = folder.runs();
    let run = runs.into_iter().find(|path| path.to_string_lossy().ends_with(id));
    run.expect("a folder").join("run.json")
}

#[test]
fn an_unstable_run_says_so_everywhere_and_fails_where_steady_is_required() {
    let folder = Folder::new();
    let done = folder.tacho(STALLED).exits(0);
    let first: Vec<&str> = done.out.lines().take(5).collect();
    assert!(first.iter().any(|line| line.starts_with("  UNSTABLE: 95")), "{first:?}");
    folder.tacho(&format!("{STALLED} --require steady")).exits(8);
    folder.tacho(&format!("{STEADY} --require steady")).exits(0);
    folder.tacho("run tprocc sim -c 4 -d 3s --ramp-up 1s -o quiet --require steady").exits(8);
    let words = ["TOO SHORT", "VALID", "UNSTABLE", "UNSTABLE"];
    let list = folder.tacho("runs -o json").exits(0).json();
    let verdicts: Vec<&str> =
        list.as_array().expect("runs").iter().filter_map(|run| run["verdict"].as_str()).collect();
    assert_eq!(verdicts, words);
    folder.tacho("runs").exits(0).says(&["UNSTABLE", "TOO SHORT", "warnings", "W14"]);
    let record = folder.record("latest~2");
    assert_eq!(
        (&record["result"]["verdict"], &record["result"]["valid"]),
        (&"unstable".into(), &true.into())
    );
    assert_eq!(record["plan"]["require"], "steady");
    // The exit code for an unstable result takes precedence over the one for a crossed limit.
    folder.tacho(&format!("{STALLED} --require steady --threshold 'p50<1ns'")).exits(8);
}

#[test]
fn a_first_run_of_ten_seconds_is_long_enough() {
    let folder = Folder::new();
    folder.tacho("run tprocc sim -o quiet").exits(0);
    let result = &folder.record("latest")["result"];
    assert_eq!(result["verdict"], "valid");
    assert_eq!(result["notices"].as_array().map(Vec::len), Some(0), "{result}");
}

#[test]
fn no_winner_is_named_on_an_unstable_run() {
    let folder = Folder::new();
    folder.tacho(STALLED).exits(0);
    folder.tacho("run tprocc 'sim:?latency=300us' -c 4 -d 20s --ramp-up 1s -o quiet").exits(0);
    let done = folder.tacho("compare").exits(0);
    assert!(done.out.starts_with("NO WINNER: run "), "{}", done.out);
    folder.tacho("compare --fail-on throughput").exits(7);
    let forced = folder.tacho("compare --force").exits(0);
    assert!(!forced.out.starts_with("NO WINNER"), "{}", forced.out);
}

#[test]
fn more_throughput_that_latencies_pay_for_is_mixed() {
    let folder = Folder::new();
    for sessions in [2, 12] {
        let target = "'sim:?capacity=4&spread=fixed'";
        folder
            .tacho(&format!("run tpcb {target} -c {sessions} -d 20s --ramp-up 1s -o quiet"))
            .exits(0);
    }
    let done = folder.tacho("compare --force").exits(0);
    let first = done.out.lines().next().expect("a line");
    assert!(first.starts_with("MIXED: throughput +") && first.contains("WORSE"), "{first}");
    let page = folder.tacho("report latest --baseline latest~1 --force -o -").exits(0).out;
    let verdict =
        page.split("<p class=\"verdict").nth(1).and_then(|rest| rest.split("</p>").next());
    let verdict = verdict.expect("a verdict");
    assert!(verdict.starts_with(" warn") && verdict.contains("MIXED"), "{verdict}");
    // With the runs swapped, the run with fewer sessions has a lower throughput but better latencies.
    let back = folder.tacho("compare latest latest~1 --force").exits(0);
    assert!(back.out.starts_with("WORSE: throughput −"), "{}", back.out);
}

#[test]
fn a_sweep_that_lost_a_run_is_an_error_until_it_is_measured_again() {
    let folder = Folder::new();
    folder.tacho(&format!("{LADDER} -o quiet")).exits(0);
    // The newest run belongs to the sweep, so all runs of the sweep are kept.
    folder.tacho("runs prune --keep 1").exits(0).says(&["0 runs removed"]);
    folder.tacho("report sweep:latest -o -").exits(0);
    folder.tacho("runs --sweeps").exits(0).says(&["3 of 3", "VALID", "sessions 1,2,3", "warnings"]);
    let lost = folder.record("latest~1")["id"].as_str().expect("an id").to_owned();
    std::fs::remove_dir_all(record_of(&folder, &lost).parent().expect("a folder")).expect("a run");
    let other = folder.tacho("sweep tpcb sim -d 10s --ramp-up 0s --vary sessions=1,2 -o quiet");
    other.exits(0);
    let id = "sweep:latest~1";
    for command in [
        format!("report {id} -o -"),
        format!("compare {id} sweep:latest"),
        "sweep --show latest~1".to_owned(),
        format!("show {id}"),
    ] {
        let done = folder.tacho(&command).exits(3);
        done.is_error().complains(&["is missing 1 of 3 runs", &lost, "tacho sweep --resume"]);
    }
    folder
        .tacho(&format!("report {id} --force --format md"))
        .exits(0)
        .says(&["its run no longer exists"]);
    folder.tacho("runs --sweeps").exits(0).says(&["RUNS MISSING", "1 run missing", &lost]);
    let listed = Terminal::start(&folder, "runs --sweeps", (120, 40)).ends(0).written;
    assert!(listed.contains("\u{1b}[1;32mVALID") && !listed.contains("\\u001b"), "{listed}");
    folder.tacho("sweep --resume latest~1 -o quiet").exits(0);
    folder.tacho(&format!("report {id} --format md")).exits(0).says(&["VALID, all points"]);
    // The newest run no longer belongs to a sweep, so both sweeps are removed with all their runs.
    folder.tacho(&format!("{STEADY} --tag kept")).exits(0);
    folder.tacho("run tpcb sim -d 10s -o quiet").exits(0);
    folder.tacho("runs prune --keep 1").exits(0).says(&["5 runs and 2 sweeps removed"]);
    assert_eq!(folder.runs().len(), 2);
    folder.tacho("runs --sweeps").exits(0).complains(&["no sweeps in"]);
}

#[test]
fn a_search_without_an_answer_is_no_success() {
    let folder = Folder::new();
    let search = "sweep tpcb sim -c 4 -d 10s --ramp-up 0s -o quiet --find-max";
    folder.tacho(&format!("{search} 'p99<10s'")).exits(0);
    folder.tacho(&format!("{search} 'p99<1us'")).exits(6);
}

#[test]
fn a_digit_put_before_a_figure_is_found_by_every_reader() {
    let folder = ONE.folder();
    let run = "run tprocc sqlite:a.db?synchronous=off -d 2s --ramp-up 0s --interval 200ms -o quiet";
    folder.tacho(run).exits(0);
    folder.tacho(run).exits(0);
    let changed = folder.record("latest")["id"].as_str().expect("an id").to_owned();
    let file = record_of(&folder, &changed);
    let text = std::fs::read_to_string(&file).expect("a record");
    std::fs::write(&file, text.replacen("\"per_minute\": ", "\"per_minute\": 9", 1))
        .expect("a digit");
    let why = "run.json was changed after it was written";
    let shown = folder.tacho("show").exits(0);
    let first: Vec<&str> = shown.out.lines().take(5).collect();
    assert!(first.iter().any(|line| line.starts_with("  INVALID: record changed")), "{first:?}");
    shown.says(&[why, "(V19)"]);
    folder.tacho("runs").exits(0).says(&["INVALID", "V19"]);
    folder.tacho("compare").exits(2).is_error().complains(&[why]);
    folder.tacho("report --format md").exits(0).says(&["**INVALID: record changed", why]);
    folder
        .tacho("report --format junit")
        .exits(0)
        .says(&["<failure message=\"INVALID: record changed"]);
    assert_eq!(folder.tacho("show -o json").exits(0).json()["result"]["valid"], Value::Bool(false));
    let trend = folder.tacho("trend tprocc").exits(0);
    trend.says(&["1 run left out: it is INVALID: run.json was changed"]);
    folder.tacho("runs tag latest best").exits(3).is_error().complains(&["checksum"]);
    // Adding a tag or a note with Tacho does not invalidate the record's checksum.
    folder.tacho("runs tag latest~1 best").exits(0);
    folder.tacho("runs note best 'a remark'").exits(0);
    assert_eq!(folder.record("best")["result"]["valid"], Value::Bool(true));
}

#[test]
fn latest_is_the_newest_run_though_it_cannot_be_read() {
    let folder = Folder::new();
    for _ in 0..2 {
        folder.tacho("run tpcb sim -d 10s -o quiet").exits(0);
    }
    let (newest, older) = (folder.record("latest"), folder.record("latest~1"));
    let id = newest["id"].as_str().expect("an id");
    std::fs::write(record_of(&folder, id), "{\"format\": \"tacho-run\"").expect("damage");
    for command in ["show", "report -o -", "compare", "show latest --timeline"] {
        let done = folder.tacho(command).exits(3);
        done.is_error().complains(&[
            id,
            "the record is damaged",
            "to use the previous run, specify latest~1",
        ]);
    }
    assert_eq!(folder.record("latest~1")["id"], older["id"]);
}
