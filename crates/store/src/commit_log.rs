//! The log of acknowledged commits is a memory-mapped file in the run's folder. It survives if the process is killed.
//!
//! The file has its full size from the start, so recording a commit needs no system call. Start reading at
//! [`CommitNotes`].
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "the tests damage files"))]

mod layout;

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use memmap2::{MmapOptions, MmapRaw};
use tacho_core::units::counted;
use tacho_core::{Error, ErrorKind, Instant, Result};
use tacho_driver::{CommitLog, Marked};

use crate::{failure, folder as folder_names, regular};
use layout::{Condition, Layout};

/// The first word of the file: `tachoACK` as an integer in native byte order.
const MAGIC: u64 = u64::from_ne_bytes(*b"tachoACK");
const VERSION: u64 = 2;
/// The file version that had neither checksums nor mark numbers.
const UNCHECKED: u64 = 1;
/// Word indexes in the header. `PLACE` is this host's number among `PLACES` hosts. If `PLACES` is 0, the file covers
/// all sessions.
const BEGIN: usize = 5;
const PLACE: usize = 6;
const PLACES: usize = 7;
/// Number of recent commit times per session. A server that loses commits usually loses about one second of them.
const MOMENTS: usize = 4096;
/// Maximum number of commit times for all sessions together (32 MiB), and minimum for each session.
const MOMENTS_ALL: usize = 1 << 22;
const MOMENTS_MIN: usize = 16;
/// Maximum number of sessions in a file.
const SESSIONS_MAX: u64 = 1 << 20;
/// Stored as the time of the first lost commit if only its latest possible time is known.
const SOME_TIME: u64 = u64::MAX;

/// The numbers that are kept for each session.
#[derive(Clone, Copy)]
enum Field {
    /// Commits that the database has acknowledged.
    Acknowledged,
    /// Commits that were sent but have been neither acknowledged nor rejected yet.
    Pending,
    /// Expected value of the session's counter in the database, as far as Tacho knows.
    Expected,
    /// Unacknowledged commits that were found in the database.
    Recovered,
    /// Unacknowledged commits that were not found in the database.
    Absent,
    /// Acknowledged commits that were not found in the database.
    Lost,
    /// Marks that were found in the database although Tacho never sent them.
    Phantom,
    /// Acknowledged commits whose times are known.
    Timed,
    /// Acknowledgement times of the first and the last lost commit, in microseconds plus one. The first may be
    /// [`SOME_TIME`].
    LostFirst,
    LostLast,
    /// 1 if the first lost commit is older than all recorded times, because too many commits were lost.
    LostEarlier,
    /// 1 if the session's notes were written on another host and have not arrived.
    Elsewhere,
    /// Number of the last mark that was sent. If the server rejects a mark, the next one has the same number.
    Sent,
    /// 1 if several marks were unacknowledged at once, so that their numbers cannot tell them apart.
    Mixed,
}

/// Number of [`Field`] variants.
const FIELDS: usize = 14;

/// The notes about one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Notes([u64; FIELDS]);

impl Notes {
    #[inline]
    fn get(&self, field: Field) -> u64 {
        self.0[field as usize]
    }

    #[inline]
    fn set(&mut self, field: Field, value: u64) {
        self.0[field as usize] = value;
    }

    #[inline]
    fn add(&mut self, field: Field, by: u64) {
        self.set(field, self.get(field).wrapping_add(by));
    }

    #[inline]
    fn take(&mut self, field: Field, by: u64) {
        self.set(field, self.get(field).saturating_sub(by));
    }

    /// Moves up to `count` from one field to another and returns the remainder.
    fn shift(&mut self, count: u64, from: Field, to: Option<Field>) -> u64 {
        let moved = count.min(self.get(from));
        self.take(from, moved);
        if let Some(to) = to {
            self.add(to, moved);
        }
        count - moved
    }
}

/// The commit log of a run.
#[derive(Debug)]
pub struct CommitNotes {
    layout: Layout,
    path: PathBuf,
}

/// Totals over all sessions' notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitCounts {
    /// Commits that the database has acknowledged.
    pub acknowledged: u64,
    /// Unacknowledged commits that were found in the database.
    pub recovered: u64,
    /// Unacknowledged commits that were not found in the database.
    pub absent: u64,
    /// Unacknowledged commits that have not been looked up in the database.
    pub unresolved: u64,
    /// Acknowledged commits that were not found in the database.
    pub lost: u64,
    /// Sessions that lost commits.
    pub sessions_lost: u32,
    /// Time at which the first lost commit was acknowledged, in microseconds since the start of the load.
    pub lost_first_us: Option<u64>,
    /// Time at which the last lost commit was acknowledged, in microseconds since the start of the load.
    pub lost_last_us: Option<u64>,
    /// True if commits earlier than the one at `lost_first_us` were lost too.
    pub lost_earlier: bool,
    /// Marks that were found in the database although Tacho never sent them.
    pub phantom: u64,
}

impl CommitNotes {
    /// Creates the log for the given number of sessions. `key` identifies the run in the database.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn create(folder: &Path, sessions: u32, key: i64) -> Result<Self> {
        let path = folder.join(folder_names::COMMITS);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = file.map_err(failure::writing(&path))?;
        let moments = (MOMENTS_ALL / sessions.max(1) as usize).clamp(MOMENTS_MIN, MOMENTS);
        // Write zeros to allocate disk space. Otherwise, a full disk would later kill the process.
        let bytes = Layout::bytes(true, u64::from(sessions), moments as u64);
        io::copy(&mut io::repeat(0).take(bytes), &mut &file).map_err(failure::writing(&path))?;
        let layout = Layout { map: map(&file, &path)?, is_checked: true, sessions, moments, key };
        layout.begin();
        let head = [VERSION, u64::from(sessions), moments as u64, key.cast_unsigned()];
        for (at, number) in (1..).zip(head) {
            layout.word(at).store(number, Ordering::Relaxed);
        }
        layout.set_head(0, MAGIC);
        Ok(Self { layout, path })
    }

    /// Opens the commit log of a run, even if the run was killed.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Missing`] if the run has no commit log, and [`ErrorKind::Protocol`] if the log is damaged.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(folder_names::COMMITS);
        if !path.exists() {
            let text = format!("{} has no commit log", folder.display());
            let hint = "only a run with --verify commits has a commit log";
            return Err(Error::new(ErrorKind::Missing, text).hint(hint));
        }
        // Rejects anything that is not a regular file.
        drop(regular::open(&path).map_err(failure::writing(&path))?);
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(failure::writing(&path))?;
        let length = file.metadata().map_err(failure::writing(&path))?.len();
        let damaged = || damaged(&path, "it is not a commit log");
        if length < (Layout::head(false) * 8) as u64 {
            return Err(damaged());
        }
        let map = map(&file, &path)?;
        let mut layout = Layout { map, is_checked: false, sessions: 0, moments: 0, key: 0 };
        let head: Vec<u64> = (0..5).map(|at| layout.word(at).load(Ordering::Acquire)).collect();
        let &[magic, version, sessions, moments, key] = &head[..] else { return Err(damaged()) };
        layout.is_checked = version != UNCHECKED;
        let is_known = magic == MAGIC && matches!(version, UNCHECKED | VERSION);
        let fits = sessions <= SESSIONS_MAX && moments > 0 && moments <= 1 << 24;
        if !is_known || !fits || length != Layout::bytes(layout.is_checked, sessions, moments) {
            return Err(damaged());
        }
        layout.sessions = sessions as u32;
        layout.moments = moments as usize;
        layout.key = key.cast_signed();
        let notes = Self { layout, path };
        notes.require_whole().map(|()| notes)
    }

    /// Returns an error if anything other than Tacho has modified the notes.
    fn require_whole(&self) -> Result<()> {
        let is_damaged = |session: &u32| self.layout.condition(*session) == Condition::Damaged;
        let sessions = (0..self.layout.sessions).filter(is_damaged).count() as u64;
        let what = match (self.layout.has_whole_head(), sessions) {
            (true, 0) => return Ok(()),
            (true, some) => format!("the notes of {}", counted(some, "session")),
            (false, _) => "its header".to_owned(),
        };
        Err(damaged(&self.path, &format!("the checksum of {what} does not match"))
            .hint("import the run again from an archive or a copy of its folder"))
    }

    /// Returns true if the notes have checksums. Earlier versions did not write any.
    pub fn has_checksums(&self) -> bool {
        self.layout.is_checked
    }

    /// Returns a word of the header.
    fn head(&self, at: usize) -> u64 {
        self.layout.word(at).load(Ordering::Relaxed)
    }

    /// Restricts the log to this host's sessions. Each of the other hosts keeps its own log.
    pub fn of_share(&self, place: u32, of: u32) {
        self.layout.set_head(PLACE, place.into());
        self.layout.set_head(PLACES, of.into());
    }

    /// Returns true if this file contains the session's notes.
    pub fn has(&self, session: u32) -> bool {
        self.is_of_share(session) && self.layout.read(session).get(Field::Elsewhere) == 0
    }

    fn is_of_share(&self, session: u32) -> bool {
        let [place, of] = [PLACE, PLACES].map(|at| self.head(at));
        session < self.layout.sessions && (of == 0 || u64::from(session) % of == place)
    }

    /// Records that the session's notes are on another host and are not verified here.
    pub fn is_elsewhere(&self, session: u32) {
        if session < self.layout.sessions {
            self.change(session, |notes| notes.set(Field::Elsewhere, 1));
        }
    }

    /// Returns the reason why some acknowledged commits cannot be verified here, such as a lost host.
    pub fn incomplete(&self) -> Option<String> {
        let all = (0..self.layout.sessions).filter(|session| self.is_of_share(*session));
        let (here, elsewhere): (Vec<u32>, Vec<u32>) = all.partition(|session| self.has(*session));
        match (here.len(), elsewhere.len() as u64) {
            (0, 0) => Some("the commit log does not cover any sessions".into()),
            (_, 0) => None,
            (_, lost) => {
                Some(format!("the commit log for {} is on a lost host", counted(lost, "session")))
            }
        }
    }

    /// Records the time at which the load started, on the sessions' clock.
    pub fn begins(&self, at: Instant) {
        let micros = at.since(Instant::default()).as_micros() as u64;
        self.layout.set_head(BEGIN, micros);
    }

    /// Returns the counters of each session in this file. Times are relative to the start of the load.
    pub fn numbers(&self) -> Vec<(u32, Vec<u64>)> {
        let begin = self.head(BEGIN);
        let of = |session: u32| {
            let mut notes = self.layout.read(session);
            for field in [Field::LostFirst, Field::LostLast] {
                let since = match notes.get(field) {
                    unknown @ (0 | SOME_TIME) => unknown,
                    moment => moment.saturating_sub(begin).max(1),
                };
                notes.set(field, since);
            }
            // The commit times themselves stay on the host that recorded them.
            notes.set(Field::Timed, 0);
            notes.0.to_vec()
        };
        (0..self.sessions())
            .filter(|session| self.has(*session))
            .map(|session| (session, of(session)))
            .collect()
    }

    /// Imports a session's counters from another host. Returns false if they are invalid.
    pub fn take_over(&self, session: u32, numbers: &[u64]) -> bool {
        let Ok(fields) = numbers.try_into() else { return false };
        if session >= self.layout.sessions {
            return false;
        }
        self.layout.write(session, &Notes(fields));
        true
    }

    /// Returns true if the run in `folder` has a commit log.
    pub fn exist(folder: &Path) -> bool {
        folder.join(folder_names::COMMITS).exists()
    }

    /// Copies the commit log from one folder to another.
    ///
    /// # Errors
    /// Returns the same errors as [`CommitNotes::open`], and any I/O error.
    pub fn copy(from: &Path, to: &Path) -> Result<()> {
        let log = Self::open(from)?;
        let to = to.join(folder_names::COMMITS);
        std::fs::copy(log.path(), &to).map(drop).map_err(failure::writing(&to))
    }

    /// Returns the number of sessions.
    pub fn sessions(&self) -> u32 {
        self.layout.sessions
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the totals over all sessions.
    pub fn counts(&self) -> CommitCounts {
        let mut all = CommitCounts::default();
        let (mut is_first_known, begin) = (true, self.head(BEGIN));
        for session in 0..self.layout.sessions {
            let notes = self.layout.read(session);
            // A damaged file may contain any number here.
            let add = |sum: &mut u64, field| *sum = sum.saturating_add(notes.get(field));
            add(&mut all.acknowledged, Field::Acknowledged);
            add(&mut all.recovered, Field::Recovered);
            add(&mut all.absent, Field::Absent);
            add(&mut all.unresolved, Field::Pending);
            add(&mut all.phantom, Field::Phantom);
            let lost = notes.get(Field::Lost);
            if lost == 0 {
                continue;
            }
            all.lost = all.lost.saturating_add(lost);
            all.sessions_lost += 1;
            all.lost_earlier |= notes.get(Field::LostEarlier) > 0;
            is_first_known &= notes.get(Field::LostFirst) != SOME_TIME;
            let moment = |field| Some(notes.get(field).checked_sub(1)?.saturating_sub(begin));
            if let Some(first) = moment(Field::LostFirst) {
                all.lost_first_us = Some(all.lost_first_us.map_or(first, |least| least.min(first)));
            }
            all.lost_last_us = all.lost_last_us.max(moment(Field::LostLast));
        }
        all.lost_first_us = all.lost_first_us.filter(|_| is_first_known);
        all
    }

    /// Modifies the notes of a session.
    #[inline]
    fn change(&self, session: u32, change: impl FnOnce(&mut Notes)) {
        let mut notes = self.layout.read(session);
        change(&mut notes);
        self.layout.write(session, &notes);
    }

    /// Records lost commits: the most recent ones if the database's last mark precedes them.
    #[cold]
    fn note_lost(&self, session: u32, notes: &mut Notes, count: u64, latest: Option<u64>) {
        let [acknowledged, timed] =
            [Field::Acknowledged, Field::Timed].map(|field| notes.get(field));
        notes.add(Field::Lost, count);
        if timed == 0 {
            return;
        }
        let at = |number: u64| {
            let moment = self.layout.moment(session, number.min(timed - 1));
            moment.map_or(SOME_TIME, |micros| micros.saturating_add(1))
        };
        let before = notes.get(Field::Sent).saturating_sub(notes.get(Field::Pending) + count);
        let are_last = latest.is_some_and(|latest| latest <= before);
        let oldest = timed.saturating_sub(self.layout.moments as u64);
        let first = acknowledged.saturating_sub(count);
        if are_last && first < oldest {
            notes.set(Field::LostEarlier, 1);
        }
        // Keep the first lost commit if one is already recorded.
        if notes.get(Field::LostFirst) == 0 {
            let first = if are_last { at(first.max(oldest)) } else { SOME_TIME };
            notes.set(Field::LostFirst, first);
        }
        let last = at(timed - 1);
        notes.set(Field::LostLast, if last == SOME_TIME { 0 } else { last });
    }

    /// Returns how many of the unacknowledged commits are in the database, judging by the mark numbers.
    fn committed(&self, notes: &Notes, present: Marked) -> u64 {
        let pending = notes.get(Field::Pending);
        let is_numbered = self.layout.is_checked && notes.get(Field::Mixed) == 0;
        let count = match present.latest.filter(|_| is_numbered) {
            Some(latest) => {
                let before = notes.get(Field::Sent).saturating_sub(pending);
                latest.saturating_sub(before).min(present.commits)
            }
            None => present.commits.saturating_sub(notes.get(Field::Expected)),
        };
        count.min(pending)
    }
}

impl CommitLog for CommitNotes {
    fn key(&self) -> i64 {
        self.layout.key
    }

    #[inline]
    fn last_number(&self, session: u32) -> u64 {
        self.layout.read(session).get(Field::Sent)
    }

    #[inline]
    fn sent(&self, session: u32, marks: u64) {
        self.change(session, |notes| {
            if notes.get(Field::Pending) > 0 {
                notes.set(Field::Mixed, 1);
            }
            notes.add(Field::Pending, marks);
            notes.add(Field::Sent, marks);
        });
    }

    /// If the process is killed before this call, Tacho looks up the commits in the database later.
    #[inline]
    fn acknowledged(&self, session: u32, marks: u64) {
        self.change(session, |notes| {
            notes.add(Field::Expected, marks);
            notes.add(Field::Acknowledged, marks);
            notes.take(Field::Pending, marks);
        });
    }

    fn refused(&self, session: u32, marks: u64) {
        self.change(session, |notes| {
            notes.take(Field::Pending, marks);
            notes.take(Field::Sent, marks);
        });
    }

    #[inline]
    fn timed(&self, session: u32, at: Instant) {
        let micros = at.since(Instant::default()).as_micros() as u64;
        self.change(session, |notes| {
            let until = notes.get(Field::Acknowledged);
            for number in notes.get(Field::Timed)..until {
                self.layout.set_moment(session, number, micros);
            }
            notes.set(Field::Timed, until);
        });
    }

    fn found(&self, session: u32, present: Marked) {
        if session >= self.layout.sessions {
            return;
        }
        self.change(session, |notes| {
            let [expected, pending] =
                [Field::Expected, Field::Pending].map(|field| notes.get(field));
            let came = self.committed(notes, present);
            let kept = present.commits - came;
            if kept < expected {
                self.note_lost(session, notes, expected - kept, present.latest);
            }
            // A surplus mark belongs to a late commit that was considered absent or lost. It is not a phantom.
            let surplus = kept.saturating_sub(expected);
            let surplus = notes.shift(surplus, Field::Absent, Some(Field::Recovered));
            let surplus = notes.shift(surplus, Field::Lost, None);
            notes.add(Field::Phantom, surplus);
            notes.add(Field::Recovered, came);
            notes.add(Field::Absent, pending - came);
            notes.set(Field::Expected, present.commits);
            notes.set(Field::Pending, 0);
            notes.set(Field::Mixed, 0);
        });
    }
}

fn damaged(path: &Path, why: &str) -> Error {
    Error::new(ErrorKind::Protocol, format!("{} is damaged: {why}", path.display()))
}

fn map(file: &File, path: &Path) -> Result<MmapRaw> {
    MmapOptions::new().map_raw(file).map_err(failure::writing(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(micros: u64) -> Instant {
        Instant::default().plus(Duration::from_micros(micros))
    }

    /// Returns the marks of a session whose first `commits` commits are in the database.
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
        // Only eight of ten marks are present, so the unacknowledged commit is missing too.
        notes.found(0, first(8));
        // One unacknowledged commit is in the database; the server rejected the next one.
        commit(&notes, 1, 50);
        notes.sent(1, 1);
        notes.found(1, first(2));
        notes.sent(1, 1);
        notes.refused(1, 1);
        notes.found(1, first(2));
        // One commit arrives late, and one mark was never sent.
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
        // Repeating the comparison changes nothing, but a commit that was considered lost may still arrive.
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

    /// Checks that a change to any significant word of the header or the notes is detected.
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
        // Changes to the header, one copy of each session's notes and the other copy's number are detected.
        assert_eq!(refused, 2 * (Layout::head(true) + 2 * 17));
        Ok(())
    }

    /// Kills the process between any two memory writes of a change, which then counts as not made.
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
        // The change number is written first and again just before the checksum, so it is the second-to-last word.
        let number = *differing.iter().rev().nth(1).expect("a number");
        let fields: Vec<usize> = differing.iter().copied().filter(|at| *at != number).collect();
        for stored in 0..=fields.len() {
            let mut cut = before.0.clone();
            cut[number..number + 8].copy_from_slice(&after.0[number..number + 8]);
            let open =
                u64::from_ne_bytes(cut[number..number + 8].try_into().expect("eight")) | 1 << 63;
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
        // The last of the five marks belongs to the unacknowledged commit, so another commit is missing.
        notes.found(0, Marked { commits: 5, latest: Some(6) });
        // Here, the missing commit is the unacknowledged one.
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
        // The server rejected one of three commits sent together, and the connection remains open.
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
        // Any of these commits may be lost, but no earlier ones.
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
        notes.is_elsewhere(0);
        notes.is_elsewhere(1);
        let why = notes.incomplete().expect("a reason");
        assert_eq!(why, "the commit log for 2 sessions is on a lost host");
        Ok(())
    }
}
