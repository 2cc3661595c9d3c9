//! A small run that is used by all tests.
#![allow(dead_code, reason = "each test file uses only a part")]

use std::path::Path;
use std::time::Duration;

use tacho_core::Seed;
use tacho_metrics::Latencies;
use tacho_store::record::{
    DataRecord, HostRecord, PlanRecord, Record, ResultRecord, RunState, ServerRecord,
};
use tacho_store::{Entry, IntervalRecord, IntervalTransaction, Measured, Run, RunWriter, Store};

/// Returns a record of a run that started on the given day in March 2026.
pub fn record(day: u32) -> Record {
    Record {
        format: String::new(),
        version: 0,
        id: String::new(),
        state: RunState::Incomplete,
        started_at: format!("2026-03-{day:02}T10:14:05+01:00"),
        tags: Vec::new(),
        note: None,
        tool_version: "0.1.0".into(),
        plan: PlanRecord {
            workload: "tprocc".into(),
            target_name: "local".into(),
            ..PlanRecord::default()
        },
        host: HostRecord::default(),
        server: ServerRecord::default(),
        data: Some(DataRecord::default()),
        result: None,
        repaired: false,
    }
}

/// Returns an interval that ends at the given second.
pub fn interval(at_s: u32) -> IntervalRecord {
    IntervalRecord {
        merged: None,
        at_s: f64::from(at_s),
        length_s: 1.0,
        phase: "measure".into(),
        transactions: vec![IntervalTransaction {
            name: "new_order".into(),
            committed: u64::from(at_s) * 100,
            max_us: Some(12.5),
            ..IntervalTransaction::default()
        }],
        ..IntervalRecord::default()
    }
}

/// Writes intervals, histograms and a log line.
pub fn fill(writer: &mut RunWriter, seconds: u32) {
    for second in 1..=seconds {
        writer.interval(&interval(second)).expect("an interval is written");
    }
    let mut latencies = Latencies::new();
    (1..=100).for_each(|ms| latencies.record(Duration::from_millis(ms)));
    let measured = Measured { transaction: "new_order", latency: &latencies, service: &latencies };
    let (start, length) = (Duration::from_secs(2), Duration::from_secs(10));
    writer.histograms(start, length, &[measured]).expect("histograms are written");
    writer.log(Duration::from_millis(1500), "a line").expect("the log is written");
}

/// Creates a finished run with the given day and tags.
pub fn finished(store: &Store, day: u32, tags: &[&str]) -> String {
    let tags = tags.iter().map(ToString::to_string).collect();
    let record = Record { tags, ..record(day) };
    let mut writer =
        RunWriter::create(store, record.clone(), Seed(day.into())).expect("a run begins");
    fill(&mut writer, 3);
    let id = writer.id().to_owned();
    let result = Some(ResultRecord { valid: true, ..ResultRecord::default() });
    writer.finish(Record { result, ..record }).expect("a run ends");
    id
}

/// Returns the only run in a store.
pub fn only(store: &Store) -> Run {
    match store.list().expect("a list").pop() {
        Some(Entry::Loaded(run)) => *run,
        other => panic!("one run was expected: {other:?}"),
    }
}

/// Returns the names and contents of all files in a folder and its subfolders.
pub fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            all.push((name, std::fs::read(&path).expect("a file")));
        }
    }
    all.sort();
    all
}
