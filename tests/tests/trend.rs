//! Trends in the history of saved runs.

#![expect(clippy::disallowed_methods, reason = "a test gives runs another date")]

use serde_json::Value;
use tacho_tests::{Folder, unsealed};

/// Changes the last run's date to a day in March 2026, and returns its ID. The real dates are too close together,
/// because several simulated runs start within the same second.
fn dated(folder: &Folder, day: usize) -> String {
    let runs = folder.runs();
    let path = runs.iter().find(|path| !path.display().to_string().contains("/2026-03"));
    let path = path.expect("a new run");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let date = format!("2026-03-{day:02}T02:00:00");
    let file = path.join("run.json");
    let record: Value =
        serde_json::from_slice(&std::fs::read(&file).expect("a record")).expect("JSON");
    let mut record = unsealed(record);
    record["started_at"] = format!("{date}+00:00").into();
    std::fs::write(&file, record.to_string()).expect("the record");
    let name = format!("{}{}", date.replace(':', "-"), &name[date.len()..]);
    std::fs::rename(path, path.with_file_name(name)).expect("the folder");
    record["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_change_in_a_tag_is_found_between_the_right_runs() {
    let folder = Folder::new();
    let run = |seed: usize| {
        let latency = if seed <= 8 { "1ms" } else { "1100us" };
        let target = format!("'sim:?statement=0s&latency={latency}&seed={seed}'");
        let command = format!("run tpcb {target} -c 8 -d 5s --seed {seed} --tag nightly -o quiet");
        folder.tacho(&command).exits(0);
        dated(&folder, seed)
    };
    let ids: Vec<String> = (1..=16).map(run).collect();
    // A run of a different workload is not part of this history.
    folder.tacho("run tprocc sim -d 2s -o quiet").exits(0);
    dated(&folder, 20);
    let trend = folder.tacho("trend tag:nightly -o json").exits(0).json();
    let changes = trend["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(
        (changes[0]["before"].clone(), changes[0]["after"].clone()),
        (ids[7].as_str().into(), ids[8].as_str().into())
    );
    assert_eq!(changes[0]["verdict"], "worse");
    let done = folder.tacho("trend tpcb").exits(0);
    done.says(&["transactions/s of tpcb · 16 runs", "WORSE", "server.settings.latency", "→"]);
    folder.tacho("trend tpcb --metric tpcb_like.p95").exits(0).says(&["tpcb_like p95"]);
    let gate = "--fail-on regression";
    folder.tacho(&format!("trend tpcb {gate}")).exits(7).says(&["WORSE"]);
    // A gate must fail if there are too few runs to detect a change.
    let first: Vec<&str> = ids[..8].iter().map(String::as_str).collect();
    folder.tacho(&format!("trend {} {gate}", first.join(","))).exits(7).says(&["Not enough data"]);
    // Runs that cannot be compared with the newest run are left out, and the output states how many.
    folder.tacho("trend").exits(0).says(&["Not enough data", "16 runs left out"]);
}

#[test]
fn a_gate_on_a_trend_passes_without_a_change_for_the_worse() {
    let folder = Folder::new();
    for day in 1..=16 {
        let latency = if day <= 8 { "1100us" } else { "1ms" };
        let target = format!("'sim:?statement=0s&latency={latency}&seed={day}'");
        folder.tacho(&format!("run tpcb {target} -c 8 -d 5s --seed {day} -o quiet")).exits(0);
        dated(&folder, day);
    }
    folder.tacho("trend tpcb --fail-on regression").exits(0).says(&["better"]);
    folder.tacho("trend tpcb --fail-on throughput").exits(2).is_error();
}

#[test]
fn runs_with_other_plans_are_no_part_of_a_series() {
    let folder = Folder::new();
    for (day, sessions) in [1, 2, 4, 8, 4, 4].into_iter().enumerate() {
        folder.tacho(&format!("run tpcb sim -c {sessions} -d 1s --seed {day} -o quiet")).exits(0);
        dated(&folder, day + 1);
    }
    folder.tacho("run tpcb sim -c 4 -d 1s --profile simple-update -o quiet").exits(0);
    dated(&folder, 7);
    folder.tacho("run tpcb sim -c 4 -d 1s --seed 8 -o quiet").exits(0);
    let trend = folder.tacho("trend tpcb -o json").exits(0).json();
    assert_eq!(trend["runs"].as_array().map(Vec::len), Some(4), "{trend}");
    let left_out = trend["left_out"].as_array().expect("runs left out");
    let reasons: Vec<&str> = left_out.iter().filter_map(|run| run["reason"].as_str()).collect();
    assert_eq!(reasons.len(), 4, "{reasons:?}");
    assert!(reasons.contains(&"its plan.sessions is 8, but the newest run has 4"), "{reasons:?}");
}

#[test]
fn a_history_that_cannot_be_followed_is_told() {
    let folder = Folder::new();
    folder.tacho("trend").exits(2).is_error().complains(&["no run has a result"]);
    folder.tacho("trend tag:none").exits(2).is_error().complains(&["tacho runs list"]);
    folder.tacho("run tpcb sim -d 1s -o quiet").exits(0);
    folder.tacho("trend").exits(0).says(&["Not enough data"]);
    let wrong = folder.tacho("trend --metric p59").exits(2);
    wrong.is_error().complains(&["did you mean p5"]);
}
