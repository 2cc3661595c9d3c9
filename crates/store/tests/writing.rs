//! Tests that the files of a run are reproducible, and that a failed write does not harm the run.
#![expect(clippy::disallowed_methods, reason = "the tests damage files on purpose")]

use std::fs;
use std::time::Duration;

use crate::common::{contents, fill, finished, interval, only, record};
use tacho_core::{ErrorKind, Seed};
use tacho_store::record::RunState;
use tacho_store::{RunWriter, Store, read_histograms, read_intervals};

#[test]
fn reads_runs_back_as_written() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    let id = finished(&store, 2, &["nightly"]);
    let run = store.find(&id).unwrap();
    assert_eq!((run.record.state, run.running), (RunState::Complete, false));
    assert_eq!(run.record.tags, ["nightly"]);
    assert!(run.record.result.as_ref().unwrap().valid);
    let name = run.path.file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(name, format!("2026-03-02T10-14-05-tprocc-local-{id}"));
    let files: Vec<String> = contents(&run.path).into_iter().map(|(name, _)| name).collect();
    assert_eq!(files, ["histograms.hlog", "intervals.jsonl.zst", "log.txt", "run.json"]);
    assert_eq!(read_intervals(&run.path).unwrap(), [1, 2, 3].map(interval));
    assert_eq!(fs::read_to_string(run.path.join("log.txt")).unwrap(), "     1.500 a line\n");
}

#[test]
fn histograms_are_read_again() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    finished(&store, 2, &[]);
    let entries = read_histograms(&only(&store).path).unwrap();
    let tags: Vec<&str> = entries.iter().map(|entry| entry.tag.as_str()).collect();
    assert_eq!(tags, ["new_order", "new_order.service"]);
    assert_eq!(entries[0].start, Duration::from_secs(2));
    assert_eq!(entries[0].length, Duration::from_secs(10));
    assert_eq!(entries[0].latencies().count(), 100);
    let median = entries[0].latencies().quantile(0.5).as_secs_f64();
    assert!((median - 0.050).abs() < 0.000_1, "{median}");
}

#[test]
fn the_log_begins_as_the_standard_says() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    finished(&store, 2, &[]);
    let text = fs::read_to_string(only(&store).path.join("histograms.hlog")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "#[Histogram log format version 1.3]");
    assert_eq!(lines[2], "#[StartTime: 1772442845.000 (seconds since epoch)]");
    assert_eq!(lines[3], "#[BaseTime: 1772442845.000 (seconds since epoch)]");
    assert!(lines[4].starts_with("\"StartTimestamp\","), "{}", lines[4]);
    assert!(lines[5].starts_with("Tag=new_order,2.000,10.000,"), "{}", lines[5]);
}

#[test]
fn equal_runs_make_equal_files() {
    let roots = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [first, second] = roots.each_ref().map(|root| {
        finished(&Store::open(root.path()), 2, &["same"]);
        contents(root.path())
    });
    assert_eq!(first, second);
}

#[test]
fn a_run_going_on_is_running_and_a_killed_one_incomplete() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    let mut writer = RunWriter::create(&store, record(2), Seed(1)).unwrap();
    writer.keep();
    fill(&mut writer, 50);
    assert_eq!(only(&store).state(), "running");
    drop(writer);
    let run = only(&store);
    assert_eq!(run.state(), "incomplete");
    assert_eq!(read_intervals(&run.path).unwrap().len(), 50);
    assert_eq!(read_histograms(&run.path).unwrap().len(), 2);
}

#[test]
fn a_tag_given_during_the_run_stays() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    let writer = RunWriter::create(&store, record(2), Seed(1)).unwrap();
    store.add_tag("latest", "live").unwrap();
    store.set_note("live", Some("cold cache")).unwrap();
    writer.finish(record(2)).unwrap();
    let run = only(&store);
    assert_eq!(run.record.tags, ["live"]);
    assert_eq!(run.record.note.as_deref(), Some("cold cache"));
}

#[test]
fn a_folder_that_vanishes_costs_its_files_and_not_the_record() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    let mut writer = RunWriter::create(&store, record(2), Seed(1)).unwrap();
    fs::remove_dir_all(root.path()).unwrap();
    fill(&mut writer, 3);
    writer.finish(record(2)).unwrap();
    let run = only(&store);
    assert_eq!(run.state(), "complete");
    assert_eq!(read_intervals(&run.path).unwrap_err().kind(), ErrorKind::Missing);
}

#[test]
fn a_record_that_cannot_be_replaced_leaves_the_old_one() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    let writer = RunWriter::create(&store, record(2), Seed(1)).unwrap();
    // Put a folder in place of the record, so that every attempt to write the record fails, even
    // for root.
    let path = writer.folder().join("run.json");
    fs::rename(&path, writer.folder().join("kept")).unwrap();
    fs::create_dir_all(path.join("folder")).unwrap();
    let folder = writer.folder().to_owned();
    let error = writer.finish(record(2)).unwrap_err();
    assert!(error.to_string().starts_with("cannot write "), "{error}");
    assert!(!error.hints().is_empty());
    let names = contents(&folder).into_iter().map(|(name, _)| name);
    assert!(names.into_iter().all(|name| !name.contains("tmp")));
    fs::remove_dir_all(&path).unwrap();
    fs::rename(folder.join("kept"), path).unwrap();
    assert_eq!(only(&store).state(), "incomplete");
}

#[test]
fn a_store_that_cannot_be_made_is_found_before_the_run() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("runs"), "a file").unwrap();
    let error = RunWriter::create(&Store::open(root.path()), record(2), Seed(1)).err().unwrap();
    assert!(error.to_string().contains("runs"), "{error}");
    assert!(error.hints()[0].contains("--dir"), "{error}");
}

#[test]
fn a_writer_that_is_dropped_before_its_run_began_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    let mut writer = RunWriter::create(&store, record(2), Seed(1)).unwrap();
    fill(&mut writer, 3);
    let folder = writer.folder().to_owned();
    assert!(folder.is_dir());
    drop(writer);
    assert!(!folder.exists());
    assert!(store.list().unwrap().is_empty());
}

#[test]
fn equal_seeds_in_one_store_make_different_ids() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    let first = RunWriter::create(&store, record(2), Seed(1)).unwrap();
    let second = RunWriter::create(&store, record(2), Seed(1)).unwrap();
    assert_ne!(first.id(), second.id());
}

#[test]
fn rejects_invalid_dates_and_tags() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    let mut bad = record(2);
    bad.started_at = "yesterday".into();
    assert!(RunWriter::create(&store, bad, Seed(1)).is_err());
    for tag in ["", "latest", "latest~1", "a b", "a,b", &"x".repeat(65)] {
        let mut bad = record(2);
        bad.tags = vec![tag.into()];
        let error = RunWriter::create(&store, bad, Seed(1)).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Usage, "{tag}");
    }
    assert!(store.list().unwrap().is_empty());
}
