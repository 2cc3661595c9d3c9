//! Comparing, tracking and listing five hundred runs.

#![expect(clippy::disallowed_methods, reason = "a test copies runs")]

use std::path::Path;

use serde_json::Value;
use tacho_tests::{Folder, unsealed};

const COPIES: usize = 250;

/// Copies a run's record, but changes its result, day and minute.
fn copy(run: &Path, number: usize, record: &Value) {
    let id = format!("c{number:03}");
    let date = format!("2026-03-{:02}T{:02}:00:00", 1 + number / 24, number % 24);
    let folder = run.with_file_name(format!("{}-tpcb-sim-{id}", date.replace(':', "-")));
    std::fs::create_dir(&folder).expect("a folder");
    let mut record = record.clone();
    record["id"] = id.into();
    record["started_at"] = format!("{date}+00:00").into();
    let figure = &mut record["result"]["throughput_per_s"];
    // The values differ from run to run, but not in a way that would look like a change in performance.
    *figure =
        (figure.as_f64().expect("a figure") * (1.0 + 1e-3 * ((number * 37) % 11) as f64)).into();
    std::fs::write(folder.join("run.json"), record.to_string()).expect("a record");
}

#[test]
fn five_hundred_runs_are_compared_and_followed() {
    let folder = Folder::new();
    for (tag, latency) in [("before", "1ms"), ("after", "1100us")] {
        let target = format!("'sim:?statement=0s&latency={latency}'");
        folder.tacho(&format!("run tpcb {target} -d 1s --tag {tag} -o quiet")).exits(0);
    }
    let runs = folder.runs();
    for run in &runs {
        let file = std::fs::read(run.join("run.json")).expect("a record");
        let record = unsealed(serde_json::from_slice(&file).expect("JSON"));
        let first = if record["tags"][0] == "before" { 0 } else { COPIES };
        (first..first + COPIES).for_each(|number| copy(run, number, &record));
    }
    for run in runs {
        std::fs::remove_dir_all(run).expect("the first runs");
    }
    let done = folder.tacho("compare tag:before tag:after").exits(0);
    done.says(&["250 runs", "WORSE", "spread between repeated runs"]);
    let trend = folder.tacho("trend tpcb -o json").exits(0).json();
    assert_eq!(trend["runs"].as_array().expect("runs").len(), 2 * COPIES);
    let changes = trend["changes"].as_array().expect("changes");
    assert!(changes.iter().any(|one| one["after"] == "c250"), "{changes:?}");
    let list = folder.tacho("runs list -o json").exits(0).json();
    assert_eq!(list.as_array().expect("a list").len(), 2 * COPIES);
}
