//! Tests that concurrent changes are not lost and do not damage a record.
#![expect(clippy::disallowed_methods, reason = "the tests forge files on purpose")]

use std::fs;
use std::sync::Barrier;

use crate::common::{contents, finished, only};
use tacho_core::Seed;
use tacho_store::journal::{FORMAT as JOURNAL, Journal, VERSION as JOURNAL_VERSION};
use tacho_store::pipeline::{FORMAT, PipelineRecord, VERSION};
use tacho_store::record::RunState;
use tacho_store::sweep::{FORMAT as SWEEP, SweepRecord, VERSION as SWEEP_VERSION};
use tacho_store::{JournalStore, PipelineStore, Seal, Store};

const TAGS: usize = 12;
const NOTES: usize = 6;

#[test]
fn keeps_every_tag_and_one_note_of_many_at_once() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    let id = finished(&store, 2, &[]);
    let barrier = Barrier::new(TAGS + NOTES);
    std::thread::scope(|scope| {
        for number in 0..TAGS {
            let (store, id, barrier) = (&store, &id, &barrier);
            scope.spawn(move || {
                barrier.wait();
                store.add_tag(id, &format!("tag{number}")).unwrap();
            });
        }
        for number in 0..NOTES {
            let (store, id, barrier) = (&store, &id, &barrier);
            scope.spawn(move || {
                barrier.wait();
                store.set_note(id, Some(&"long ".repeat(number * 100))).unwrap();
            });
        }
    });
    let run = only(&store);
    let mut tags = run.record.tags.clone();
    tags.sort();
    let mut expected: Vec<String> = (0..TAGS).map(|number| format!("tag{number}")).collect();
    expected.sort();
    assert_eq!(tags, expected);
    let note = run.record.note.clone().unwrap();
    assert!((0..NOTES).any(|number| note == "long ".repeat(number * 100)), "{note}");
    assert!(matches!(run.verified().seal, Seal::Intact(_)));
    assert!(contents(root.path()).iter().all(|(name, _)| !name.contains("tmp")));
}

fn sweep() -> SweepRecord {
    SweepRecord {
        format: SWEEP.into(),
        version: SWEEP_VERSION,
        id: String::new(),
        state: RunState::Incomplete,
        started_at: "2026-03-02T10:14:05+01:00".into(),
        tool_version: "0.1.0".into(),
        workload: "tprocc".into(),
        target_name: "a".into(),
        settings: Vec::new(),
        vary: Vec::new(),
        points: Vec::new(),
        found: None,
        found_for: Vec::new(),
        calibration: None,
    }
}

#[test]
fn only_one_process_measures_a_sweep_or_a_pipeline() {
    let root = tempfile::tempdir().unwrap();
    let sweeps = Store::open(root.path()).sweeps();
    let record = sweeps.create(sweep(), Seed(1)).unwrap();
    let before = contents(root.path());
    let claim = sweeps.claim(&record).unwrap();
    let error = sweeps.claim(&record).unwrap_err();
    assert!(error.to_string().contains("another process is measuring sweep"), "{error}");
    drop(claim);
    drop(sweeps.claim(&record).unwrap());
    let pipelines = PipelineStore::open(root.path());
    let claim = pipelines.claim("nightly").unwrap();
    assert!(pipelines.claim("nightly").is_err());
    assert!(pipelines.claim("weekly").is_ok());
    drop(claim);
    assert!(pipelines.claim("nightly").is_ok());
    assert_eq!(contents(root.path()), before);
}

/// Paths are formed from names in stored files, so names that would lead out of the folder are
/// rejected.
#[test]
fn rejects_names_that_lead_out_of_the_folder() {
    let root = tempfile::tempdir().unwrap();
    let sweeps = Store::open(root.path()).sweeps();
    let record = sweeps.create(sweep(), Seed(1)).unwrap();
    let forged = SweepRecord { id: "../../victim".into(), ..record.clone() };
    // Modifies the file as another program might, either with a valid checksum or without one.
    fs::write(sweeps.path(&record), serde_json::to_vec(&forged).unwrap()).unwrap();
    assert!(sweeps.find(&record.id).is_err());
    let pipelines = PipelineStore::open(root.path());
    let pipeline = PipelineRecord {
        format: FORMAT.into(),
        version: VERSION,
        name: "../victim".into(),
        state: RunState::Incomplete,
        started_at: "2026-03-02T10:14:05+01:00".into(),
        tool_version: "0.1.0".into(),
        asked: serde_json::Value::Null,
        servers: Vec::new(),
        sweeps: Vec::new(),
    };
    fs::create_dir_all(root.path().join("pipelines")).unwrap();
    fs::write(pipelines.path("nightly"), serde_json::to_vec(&pipeline).unwrap()).unwrap();
    assert!(pipelines.find("nightly").is_err());
    let journals = JournalStore::open(root.path());
    let journal = Journal {
        format: JOURNAL.into(),
        version: JOURNAL_VERSION,
        sweep: "../victim".into(),
        started_at: "2026-03-02T10:14:05+01:00".into(),
        target: "a".into(),
        server: None,
        process: 1,
        process_started: String::new(),
        fault: None,
        settings: Vec::new(),
    };
    fs::create_dir_all(root.path().join("journals")).unwrap();
    fs::write(root.path().join("journals/x.json"), serde_json::to_vec(&journal).unwrap()).unwrap();
    assert!(journals.list().is_err());
}
