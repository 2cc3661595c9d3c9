//! Old runs go by number, age and size; tagged, running and unreadable ones stay.
#![expect(clippy::disallowed_methods, reason = "the tests damage files on purpose")]

mod common;

use std::fs;
use std::time::{Duration, SystemTime};

use common::{finished, record};
use tacho_core::Seed;
use tacho_store::{PrunePolicy, RunWriter, Store};

/// Ten o'clock on 6 March 2026, two days after the last run.
fn policy() -> PrunePolicy {
    let now = SystemTime::UNIX_EPOCH + Duration::from_hours(492_442);
    PrunePolicy { keep: None, older_than: None, now, max_bytes: None, dry_run: false }
}

/// Runs of 1 to 4 March, of which that of the second is tagged; their ids in this order.
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
fn what_cannot_be_judged_or_is_in_use_stays() {
    let (_root, store, [a, ..]) = four();
    fs::write(store.find(&a).unwrap().path.join("run.json"), "{").unwrap();
    let writer = RunWriter::create(&store, record(5), Seed(5)).unwrap();
    let gone = store.prune(&PrunePolicy { keep: Some(0), ..policy() }).unwrap();
    assert_eq!((gone.len(), left(&store).len()), (2, 3));
    drop(writer);
    let gone = store.prune(&PrunePolicy { keep: Some(0), ..policy() }).unwrap();
    assert_eq!((gone.len(), left(&store).len()), (1, 2));
}

#[test]
fn a_removal_that_was_cut_off_is_ended() {
    let (_root, store, _) = four();
    let remains = store.path().join(".removing-2026-01-01T00-00-00-tprocc-local-0000");
    fs::create_dir(&remains).unwrap();
    store.prune(&PrunePolicy { keep: Some(9), ..policy() }).unwrap();
    assert!(!remains.exists());
    assert_eq!(left(&store).len(), 4);
}

#[test]
fn a_policy_without_a_limit_is_refused() {
    let error = Store::open("/nowhere".as_ref()).prune(&policy()).unwrap_err();
    assert!(error.hints()[0].contains("--keep"), "{error}");
}
