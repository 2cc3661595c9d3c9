//! Old runs are removed by count, age and size. Tagged, running and unreadable runs are kept.
#![expect(clippy::disallowed_methods, reason = "the tests damage files on purpose")]

use std::fs;
use std::time::{Duration, SystemTime};

use crate::common::{finished, record};
use tacho_core::Seed;
use tacho_store::record::RunState;
use tacho_store::sweep::{Outcome, Point, SweepRecord};
use tacho_store::{PrunePolicy, RunWriter, Store};

/// Returns a policy as of ten o'clock on 6 March 2026, two days after the last run.
fn policy() -> PrunePolicy {
    let now = SystemTime::UNIX_EPOCH + Duration::from_hours(492_442);
    PrunePolicy { keep: None, older_than: None, now, max_bytes: None, dry_run: false }
}

/// Creates a store with four runs, from 1 to 4 March. The second run has a tag. Returns the run ids, oldest first.
fn four() -> (tempfile::TempDir, Store, [String; 4]) {
    let root = tempfile::tempdir().expect("a folder");
    let store = Store::open(root.path());
    let ids = [(1, &[][..]), (2, &["keep"]), (3, &[]), (4, &[])]
        .map(|(day, tags)| finished(&store, day, tags));
    (root, store, ids)
}

fn left(store: &Store) -> Vec<String> {
    store.list().expect("a list").iter().map(|entry| entry.id().to_owned()).collect()
}

#[test]
fn by_number() {
    let (_root, store, [a, b, c, d]) = four();
    let dry = PrunePolicy { keep: Some(1), dry_run: true, ..policy() };
    let going = store.prune(&dry).unwrap();
    assert_eq!(left(&store).len(), 4);
    let gone = store.prune(&PrunePolicy { dry_run: false, ..dry }).unwrap();
    assert_eq!(going, gone);
    assert_eq!(gone.iter().map(|run| &run.id).collect::<Vec<_>>(), [&c, &a]);
    assert!(gone.iter().all(|run| run.bytes > 1_000 && !run.path.exists()));
    assert_eq!(left(&store), [d, b]);
}

#[test]
fn by_age() {
    let (_root, store, [_, b, c, d]) = four();
    let age = Duration::from_hours(4 * 24);
    store.prune(&PrunePolicy { older_than: Some(age), ..policy() }).unwrap();
    assert_eq!(left(&store), [d, c, b]);
}

#[test]
fn by_size() {
    let (_root, store, [_, b, _, d]) = four();
    let size = fs::read_dir(store.find(&b).unwrap().path)
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum::<u64>();
    let max_bytes = Some(size * 5 / 2);
    store.prune(&PrunePolicy { max_bytes, ..policy() }).unwrap();
    assert_eq!(left(&store), [d, b]);
}

#[test]
fn keeps_unreadable_runs_and_runs_in_use() {
    let (_root, store, [a, ..]) = four();
    fs::write(store.find(&a).unwrap().path.join("run.json"), "{").unwrap();
    let mut writer = RunWriter::create(&store, record(5), Seed(5)).unwrap();
    writer.keep();
    let gone = store.prune(&PrunePolicy { keep: Some(0), ..policy() }).unwrap();
    assert_eq!((gone.len(), left(&store).len()), (2, 3));
    drop(writer);
    let gone = store.prune(&PrunePolicy { keep: Some(0), ..policy() }).unwrap();
    assert_eq!((gone.len(), left(&store).len()), (1, 2));
}

#[test]
fn interrupted_removals_are_completed() {
    let (_root, store, _) = four();
    let remains = store.path().join(".removing-2026-01-01T00-00-00-tprocc-local-0000");
    fs::create_dir(&remains).unwrap();
    store.prune(&PrunePolicy { keep: Some(9), ..policy() }).unwrap();
    assert!(!remains.exists());
    assert_eq!(left(&store).len(), 4);
}

/// A run that was killed while its folder was being created is neither listed nor left behind.
#[test]
fn runs_that_were_killed_before_they_started_are_removed() {
    let (_root, store, _) = four();
    let mut writer = RunWriter::create(&store, record(5), Seed(5)).unwrap();
    writer.keep();
    let folder = writer.folder().to_owned();
    drop(writer);
    fs::remove_file(folder.join("run.json")).unwrap();
    fs::write(folder.join("run.lock"), "").unwrap();
    // This one was killed before its lock was created.
    let empty = folder.with_file_name("2026-01-02T00-00-00-tprocc-local-0001");
    fs::create_dir(&empty).unwrap();
    assert_eq!(left(&store).len(), 4);
    store.prune(&PrunePolicy { keep: Some(9), ..policy() }).unwrap();
    assert!(!folder.exists() && !empty.exists());
    assert_eq!(left(&store).len(), 4);
}

/// Creates a sweep that consists of these runs.
fn sweep_of(store: &Store, runs: &[&String], state: RunState) -> SweepRecord {
    let point = |run: &&String| Point {
        values: vec!["1".into()],
        repetition: 1,
        equal_side: None,
        headroom: false,
        outcome: Outcome::Measured,
        run: Some((*run).clone()),
        error: None,
    };
    let record = SweepRecord {
        format: tacho_store::sweep::FORMAT.into(),
        version: tacho_store::sweep::VERSION,
        id: String::new(),
        state,
        started_at: "2026-03-01T10:14:05+01:00".into(),
        tool_version: "0.1.0".into(),
        workload: "tprocc".into(),
        target_name: "local".into(),
        settings: Vec::new(),
        vary: Vec::new(),
        points: runs.iter().map(point).collect(),
        found: None,
        found_for: Vec::new(),
        calibration: None,
    };
    store.sweeps().create(record, Seed(7)).expect("a sweep")
}

#[test]
fn sweeps_are_kept_or_removed_as_a_whole() {
    let (_root, store, [a, b, c, d]) = four();
    let sweep = sweep_of(&store, &[&a, &c, &d], RunState::Complete);
    // The newest run is a point of the sweep, so all runs of the sweep are kept.
    assert!(store.prune(&PrunePolicy { keep: Some(1), ..policy() }).unwrap().is_empty());
    assert_eq!(left(&store).len(), 4);
    let newest = finished(&store, 5, &[]);
    let gone = store.prune(&PrunePolicy { keep: Some(1), ..policy() }).unwrap();
    let ids: Vec<&String> = gone.iter().map(|removed| &removed.id).collect();
    assert_eq!(ids, [&sweep.id, &d, &c, &a]);
    assert!(gone[0].is_sweep && !gone[0].path.exists() && !gone[1].is_sweep);
    assert_eq!(left(&store), [newest, b]);
}

#[test]
fn a_tag_keeps_the_whole_sweep() {
    let (_root, store, [a, b, c, _]) = four();
    let sweep = sweep_of(&store, &[&a, &b], RunState::Complete);
    store.prune(&PrunePolicy { keep: Some(1), ..policy() }).unwrap();
    assert!(store.find(&a).is_ok() && store.find(&b).is_ok() && store.find(&c).is_err());
    assert!(store.sweeps().find(&sweep.id).is_ok());
}

#[test]
fn a_sweep_that_may_be_running_or_cannot_be_read_is_not_touched() {
    let (_root, store, [a, b, c, d]) = four();
    let sweep = sweep_of(&store, &[&c, &d], RunState::Incomplete);
    let now = SystemTime::now();
    store.prune(&PrunePolicy { keep: Some(0), now, ..policy() }).unwrap();
    assert_eq!(left(&store), [d.clone(), c, b]);
    let path = store.sweeps().path(&sweep);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, "{").unwrap();
    let refused = store.prune(&PrunePolicy { keep: Some(0), now, ..policy() }).unwrap_err();
    assert!(refused.to_string().contains(&sweep.id), "{refused}");
    assert!(refused.hints()[0].contains("restore"), "{refused}");
    fs::write(&path, whole).unwrap();
    let later = now + Duration::from_hours(48);
    store.prune(&PrunePolicy { keep: Some(0), now: later, ..policy() }).unwrap();
    assert!(store.find(&d).is_err() && store.find(&a).is_err());
}

#[test]
fn rejects_policies_without_a_limit() {
    let error = Store::open("/nowhere".as_ref()).prune(&policy()).unwrap_err();
    assert!(error.hints()[0].contains("--keep"), "{error}");
}
