use std::time::Duration;

use tacho_driver::{CommitLog, Marked};

use super::notes::FIELDS;
use super::*;

fn at(micros: u64) -> Instant {
    Instant::default().plus(Duration::from_micros(micros))
}

/// Simulates a database that contains only the first `commits` commits of a session.
fn first(commits: u64) -> Marked {
    Marked { commits, latest: Some(commits) }
}

fn commit(notes: &CommitNotes, session: u32, micros: u64) {
    notes.sent(session, 1);
    notes.acknowledged(session, 1);
    notes.timed(session, at(micros));
}

#[test]
fn each_commit_is_found_lost_or_resolved() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = CommitNotes::create(folder.path(), 3, -7)?;
    (0..10).for_each(|number| commit(&notes, 0, 100 + number));
    notes.sent(0, 1);
    // Session 0 has ten acknowledged commits and an unacknowledged one. The database contains only
    // the marks of the first eight commits, so the unacknowledged commit is missing too.
    notes.found(0, first(8));
    // The first unacknowledged commit is in the database. The server rejects the next commit.
    commit(&notes, 1, 50);
    notes.sent(1, 1);
    notes.found(1, first(2));
    notes.sent(1, 1);
    notes.refused(1, 1);
    notes.found(1, first(2));
    // In this session, one commit arrives in the database late. The database also contains a mark
    // that was never sent.
    notes.sent(2, 1);
    notes.found(2, first(0));
    notes.found(2, first(2));
    let expected = CommitCounts {
        acknowledged: 11,
        recovered: 2,
        absent: 1,
        unresolved: 0,
        lost: 2,
        sessions_lost: 1,
        lost_first_us: Some(108),
        lost_last_us: Some(109),
        lost_earlier: false,
        phantom: 1,
    };
    assert_eq!(notes.counts(), expected);
    drop(notes);
    let again = CommitNotes::open(folder.path())?;
    assert_eq!((again.counts(), again.key(), again.sessions()), (expected, -7, 3));
    Ok(())
}

#[test]
fn notes_of_two_hosts_are_those_of_one_run() -> Result<()> {
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let whole = CommitNotes::create(folders[0].path(), 3, 5)?;
    for (place, folder) in (0..2).zip(&folders[1..]) {
        let notes = CommitNotes::create(folder.path(), 3, 5)?;
        notes.of_share(place, 2);
        notes.begins(at(1_000));
        for session in (0..3).filter(|session| notes.has(*session)) {
            (0..4).for_each(|number| commit(&notes, session, 1_100 + number));
            notes.found(session, first(4 - u64::from(session)));
        }
        drop(notes);
        let again = CommitNotes::open(folder.path())?;
        assert_eq!(again.numbers().len(), [2, 1][place as usize]);
        assert!(
            again.numbers().iter().all(|(session, numbers)| whole.take_over(*session, numbers))
        );
    }
    let counts = whole.counts();
    assert_eq!((counts.acknowledged, counts.lost, counts.sessions_lost), (12, 3, 2));
    assert_eq!((counts.lost_first_us, counts.lost_last_us), (Some(102), Some(103)));
    // Repeating the comparison changes nothing. A commit that was considered lost may still arrive later.
    (0..3).for_each(|session| whole.found(session, first(4 - u64::from(session))));
    assert_eq!(whole.counts(), counts);
    whole.is_elsewhere(1);
    assert_eq!([0, 1, 2, 3].map(|session| whole.has(session)), [true, false, true, false]);
    assert!(!whole.take_over(3, &[0; FIELDS]) && !whole.take_over(0, &[0; 3]));
    Ok(())
}

#[test]
fn more_lost_than_moments_are_kept_is_said() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = CommitNotes::create(folder.path(), 1, 0)?;
    let all = MOMENTS as u64 + 10;
    (0..all).for_each(|number| commit(&notes, 0, number));
    notes.found(0, first(0));
    let counts = notes.counts();
    assert_eq!((counts.lost, counts.lost_first_us, counts.lost_earlier), (all, Some(10), true));
    Ok(())
}

#[test]
fn rejects_damaged_files() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = CommitNotes::create(folder.path(), 2, 0)?.path().to_owned();
    let whole = std::fs::read(&path).expect("the file");
    for damaged in [&whole[..10], &whole[..whole.len() - 1], &[0; 200]] {
        std::fs::write(&path, damaged).expect("written");
        let error = CommitNotes::open(folder.path()).expect_err("damaged");
        assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    }
    let mut many = whole;
    many[16..24].copy_from_slice(&u64::MAX.to_ne_bytes());
    std::fs::write(&path, many).expect("written");
    assert!(CommitNotes::open(folder.path()).is_err());
    Ok(())
}

/// Creates notes for two sessions, each with one unacknowledged commit.
fn written(folder: &Path) -> Result<CommitNotes> {
    let notes = CommitNotes::create(folder, 2, 9)?;
    for session in 0..2 {
        (0..5).for_each(|number| commit(&notes, session, 100 + number));
        notes.sent(session, 1);
    }
    Ok(notes)
}

/// Tests that a change to any word in use is detected, both in the header and in the notes.
#[test]
fn no_changed_word_is_trusted() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path())?.path().to_owned();
    let whole = std::fs::read(&path).expect("the file");
    let expected = CommitNotes::open(folder.path())?.counts();
    let words = Layout::head(true) + 2 * 2 * 16;
    let mut refused = 0;
    for (at, change) in (0..words).flat_map(|at| [(at, 1_u8), (at, 0x80)]) {
        let mut changed = whole.clone();
        changed[at * 8] ^= change;
        std::fs::write(&path, changed).expect("written");
        match CommitNotes::open(folder.path()) {
            // Changing a word in the older copy has no effect.
            Ok(notes) => assert_eq!(notes.counts(), expected, "word {at}"),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
                refused += 1;
            }
        }
    }
    // A change is detected if it is in the header, in the newer copy of a session's notes, or in the change number of
    // the older copy.
    assert_eq!(refused, 2 * (Layout::head(true) + 2 * 17));
    Ok(())
}

/// Tests that a change is ignored if the process is killed before it has been written completely.
#[test]
fn interrupted_changes_count_as_not_made() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = written(folder.path())?;
    let path = notes.path().to_owned();
    let before = (std::fs::read(&path).expect("the file"), notes.counts());
    notes.acknowledged(1, 1);
    let after = (std::fs::read(&path).expect("the file"), notes.counts());
    assert_ne!(before.1, after.1);
    drop(notes);
    let differing = (0..before.0.len() / 8).map(|word| word * 8);
    let differing = differing.filter(|at| before.0[*at..*at + 8] != after.0[*at..*at + 8]);
    let differing: Vec<usize> = differing.collect();
    // In each copy, the change number is the second-to-last word, followed by the checksum. It is written both before
    // and after all other words.
    let number = *differing.iter().rev().nth(1).expect("a number");
    let fields: Vec<usize> = differing.iter().copied().filter(|at| *at != number).collect();
    for stored in 0..=fields.len() {
        let mut cut = before.0.clone();
        cut[number..number + 8].copy_from_slice(&after.0[number..number + 8]);
        let open = u64::from_ne_bytes(cut[number..number + 8].try_into().expect("eight")) | 1 << 63;
        cut[number..number + 8].copy_from_slice(&open.to_ne_bytes());
        for at in &fields[..stored] {
            cut[*at..*at + 8].copy_from_slice(&after.0[*at..*at + 8]);
        }
        std::fs::write(&path, cut).expect("written");
        let found = CommitNotes::open(folder.path())?;
        assert_eq!(found.counts(), before.1, "{stored} stored");
        found.acknowledged(1, 1);
        assert_eq!(found.counts(), after.1, "{stored} stored, followed by another change");
    }
    Ok(())
}

#[test]
fn a_lost_commit_and_a_late_answer_do_not_cancel_out() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = written(folder.path())?;
    assert_eq!(notes.last_number(0), 6);
    // The latest mark in the database has number 6, so the unacknowledged commit is present. There are only five marks
    // in total, so one of the acknowledged commits is missing.
    notes.found(0, Marked { commits: 5, latest: Some(6) });
    // In session 1, mark 6 is missing. It belongs to the unacknowledged commit, so no acknowledged commit is lost.
    notes.found(1, Marked { commits: 5, latest: Some(5) });
    let counts = notes.counts();
    assert_eq!((counts.lost, counts.recovered, counts.absent), (1, 1, 1));
    assert_eq!((counts.lost_first_us, counts.lost_last_us), (None, Some(104)));
    Ok(())
}

#[test]
fn numbers_do_not_count_after_one_of_several_was_refused() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = CommitNotes::create(folder.path(), 1, 0)?;
    // The server rejects one of three commits that are sent together. The connection remains open.
    notes.sent(0, 3);
    commit(&notes, 0, 100);
    notes.found(0, Marked { commits: 3, latest: Some(4) });
    let counts = notes.counts();
    assert_eq!((counts.lost, counts.recovered, counts.absent, counts.phantom), (0, 2, 1, 0));
    Ok(())
}

#[test]
fn the_moment_of_a_lost_commit_is_claimed_only_if_it_is_known() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = CommitNotes::create(folder.path(), 1, 0)?;
    (0..10).for_each(|number| commit(&notes, 0, 100 + number));
    notes.found(0, Marked { commits: 8, latest: Some(8) });
    let last = notes.counts();
    assert_eq!((last.lost_first_us, last.lost_last_us), (Some(108), Some(109)));
    // One of the next ten commits is lost, but it is unknown which one. It is not one of the first ten, because they
    // were looked up before.
    (0..10).for_each(|number| commit(&notes, 0, 200 + number));
    notes.found(0, Marked { commits: 17, latest: Some(20) });
    let any = notes.counts();
    assert_eq!((any.lost, any.lost_first_us, any.lost_last_us), (3, Some(108), Some(209)));
    Ok(())
}

#[test]
fn notes_without_checksums_are_read() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    // Version 1 has a header of eight numbers, then sixteen numbers per session, then the commit times.
    let mut words = vec![MAGIC, 1, 1, 16, 5, 0, 0, 0];
    words.extend([3, 1, 3, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0]);
    words.extend([10, 20, 30]);
    words.resize(8 + 16 + 16, 0);
    let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_ne_bytes).collect();
    std::fs::write(folder.path().join(folder_names::COMMITS), bytes).expect("written");
    let notes = CommitNotes::open(folder.path())?;
    assert!(!notes.has_checksums() && notes.incomplete().is_none());
    notes.found(0, Marked { commits: 2, latest: None });
    let counts = notes.counts();
    assert_eq!((counts.acknowledged, counts.lost, counts.absent), (3, 1, 1));
    assert_eq!((counts.lost_first_us, counts.lost_last_us), (None, Some(30)));
    Ok(())
}

#[test]
fn notes_of_other_hosts_are_never_taken_for_compared_ones() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = written(folder.path())?;
    assert_eq!(notes.incomplete(), None);
    for _ in 0..2 {
        notes.are_elsewhere();
        let why = notes.incomplete().expect("a reason");
        assert_eq!(why, "the commit log for 2 sessions was not received from its load host");
    }
    // The notes remain incomplete until those of every session have been imported.
    assert!(notes.take_over(0, &[0; FIELDS]));
    assert!(notes.incomplete().is_some_and(|why| why.contains("1 session was")));
    assert!(notes.take_over(1, &[0; FIELDS]));
    assert_eq!(notes.incomplete(), None);
    notes.of_share(3, 2);
    assert_eq!(notes.incomplete().as_deref(), Some("the commit log does not cover any sessions"));
    Ok(())
}
