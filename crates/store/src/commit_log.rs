//! The notes of acknowledged commits, in a file of the run's folder that is mapped into memory: a note is
//! two stores and no system call, and is there after the process was killed.
//!
//! The file has the size that it needs from the start; no session waits for another one or allocates. It is
//! read by the machine that wrote it: numbers are in its own order of bytes.
//! Start reading at [`CommitNotes`].
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "files are damaged here"))]

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{MmapOptions, MmapRaw};
use tacho_core::{Error, ErrorKind, Instant, Result};
use tacho_driver::CommitLog;

use crate::{failure, folder as folder_names, regular};

/// Begins the file: `tachoACK` as a number in the machine's order of bytes.
const MAGIC: u64 = u64::from_ne_bytes(*b"tachoACK");
const VERSION: u64 = 1;
/// Numbers of the head: magic, version, sessions, moments of each session, key of the run, begin of the load, and the
/// share of the sessions that is noted here: its place and of how many; 0 of all.
const HEAD: usize = 8;
const BEGIN: usize = 5;
const PLACE: usize = 6;
const PLACES: usize = 7;
/// Numbers of one session before its moments; two lines of the processor's cache, so that no two sessions
/// write to one.
const SLOT: usize = 16;
/// Moments that are kept of each session: those of its last acknowledged commits. A server that loses
/// commits loses the last second or so.
const MOMENTS: usize = 4096;
/// The same of all sessions together, 32 MiB, and of one at least.
const MOMENTS_ALL: usize = 1 << 22;
const MOMENTS_MIN: usize = 16;
/// Most sessions of a file.
const SESSIONS_MAX: u64 = 1 << 20;

/// What is counted of each session.
#[derive(Clone, Copy)]
enum Field {
    /// Commits that the database has confirmed.
    Acknowledged,
    /// Sent, and neither confirmed nor refused.
    Pending,
    /// What the counter in the database must be at, as far as is known.
    Expected,
    /// Sent without an answer, and found in the database.
    Recovered,
    /// Sent without an answer, and not found in the database.
    Absent,
    /// Confirmed, and not found in the database.
    Lost,
    /// Found in the database, and never sent.
    Phantom,
    /// Confirmed commits whose moment is known.
    Timed,
    /// Moments of the first and the last lost one, in microseconds of the session's clock, plus 1.
    LostFirst,
    LostLast,
    /// Whether the moment of the first one is that of a later one: more were lost than moments are kept.
    LostEarlier,
    /// Whether it was noted on another host, of which nothing has arrived.
    Elsewhere,
}

/// The notes of a run.
#[derive(Debug)]
pub struct CommitNotes {
    map: MmapRaw,
    sessions: u32,
    moments: usize,
    key: i64,
    path: PathBuf,
}

/// What the notes say of all sessions together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitCounts {
    /// Commits that the database has confirmed.
    pub acknowledged: u64,
    /// Sent without an answer, and found in the database.
    pub recovered: u64,
    /// Sent without an answer, and not found in the database.
    pub absent: u64,
    /// Sent without an answer, and not looked for in the database.
    pub unresolved: u64,
    /// Confirmed, and not found in the database.
    pub lost: u64,
    /// Sessions that lost some.
    pub sessions_lost: u32,
    /// When the first lost one was confirmed, in microseconds since the begin of the load.
    pub lost_first_us: Option<u64>,
    /// When the last one was.
    pub lost_last_us: Option<u64>,
    /// Whether some were confirmed before the first of these moments: more were lost than moments are kept.
    pub lost_earlier: bool,
    /// Found in the database, and never sent.
    pub phantom: u64,
}

impl CommitNotes {
    /// Makes the file in the folder of a run, for so many sessions; `key` is that of the run in the database.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(folder: &Path, sessions: u32, key: i64) -> Result<Self> {
        let path = folder.join(folder_names::COMMITS);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = file.map_err(failure::writing(&path))?;
        let moments = (MOMENTS_ALL / sessions.max(1) as usize).clamp(MOMENTS_MIN, MOMENTS);
        // Written and not only made as long: on a full disk a page without a place would end the process.
        let bytes = bytes(u64::from(sessions), moments as u64);
        io::copy(&mut io::repeat(0).take(bytes), &mut &file).map_err(failure::writing(&path))?;
        let notes = Self { map: map(&file, &path)?, sessions, moments, key, path };
        let head = [VERSION, u64::from(sessions), moments as u64, key.cast_unsigned()];
        for (at, number) in (1..).zip(head) {
            notes.word(at).store(number, Ordering::Relaxed);
        }
        notes.word(0).store(MAGIC, Ordering::Release);
        Ok(notes)
    }

    /// Opens the file of a run, also of one that was killed.
    ///
    /// # Errors
    /// Missing, if the run has none; Protocol, if it is damaged.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(folder_names::COMMITS);
        if !path.exists() {
            let text = format!("{} has no notes of commits", folder.display());
            let hint = "only a run with --verify commits has them";
            return Err(Error::new(ErrorKind::Missing, text).hint(hint));
        }
        // Refuses what is not a plain file.
        drop(regular::open(&path).map_err(failure::writing(&path))?);
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(failure::writing(&path))?;
        let length = file.metadata().map_err(failure::writing(&path))?.len();
        let damaged = || {
            let text = format!("{} is damaged: not the notes of commits of a run", path.display());
            Error::new(ErrorKind::Protocol, text)
        };
        if length < (HEAD * 8) as u64 {
            return Err(damaged());
        }
        let mut notes =
            Self { map: map(&file, &path)?, sessions: 0, moments: 0, key: 0, path: path.clone() };
        let head: Vec<u64> = (0..5).map(|at| notes.word(at).load(Ordering::Acquire)).collect();
        let &[magic, version, sessions, moments, key] = &head[..] else { return Err(damaged()) };
        let fits = sessions <= SESSIONS_MAX && moments > 0 && moments <= 1 << 24;
        if (magic, version) != (MAGIC, VERSION) || !fits || length != bytes(sessions, moments) {
            return Err(damaged());
        }
        notes.sessions = sessions as u32;
        notes.moments = moments as usize;
        notes.key = key.cast_signed();
        Ok(notes)
    }

    /// Notes only of this share of the sessions: the others are those of other hosts.
    pub fn of_share(&self, place: u32, of: u32) {
        self.word(PLACE).store(place.into(), Ordering::Relaxed);
        self.word(PLACES).store(of.into(), Ordering::Relaxed);
    }

    /// Whether this session is noted here.
    pub fn has(&self, session: u32) -> bool {
        let [place, of] = [PLACE, PLACES].map(|at| self.word(at).load(Ordering::Relaxed));
        session < self.sessions
            && (of == 0 || u64::from(session) % of == place)
            && self.field(session, Field::Elsewhere).load(Ordering::Relaxed) == 0
    }

    /// The notes of this session are on another host, and are not compared here.
    pub fn is_elsewhere(&self, session: u32) {
        if session < self.sessions {
            self.field(session, Field::Elsewhere).store(1, Ordering::Relaxed);
        }
    }

    /// The load began at this moment of the sessions' clock.
    pub fn begins(&self, at: Instant) {
        let micros = at.since(Instant::default()).as_micros() as u64;
        self.word(BEGIN).store(micros, Ordering::Relaxed);
    }

    /// The numbers of each session that is noted here, for the notes of the whole run; moments are since the begin of
    /// the load.
    pub fn numbers(&self) -> Vec<(u32, Vec<u64>)> {
        let begin = self.word(BEGIN).load(Ordering::Relaxed);
        let of = |session: u32| {
            let slot = Self::slot(session);
            let mut numbers: Vec<u64> =
                (slot..slot + SLOT).map(|at| self.word(at).load(Ordering::Relaxed)).collect();
            for field in [Field::LostFirst, Field::LostLast] {
                let own = &mut numbers[field as usize];
                *own = if *own == 0 { 0 } else { own.saturating_sub(begin).max(1) };
            }
            // The moments themselves stay where they were noted.
            numbers[Field::Timed as usize] = 0;
            numbers
        };
        (0..self.sessions).filter(|own| self.has(*own)).map(|own| (own, of(own))).collect()
    }

    /// Takes over the numbers of a session that were noted on another host. False if they are none.
    pub fn take_over(&self, session: u32, numbers: &[u64]) -> bool {
        if session >= self.sessions || numbers.len() != SLOT {
            return false;
        }
        for (at, number) in (Self::slot(session)..).zip(numbers) {
            self.word(at).store(*number, Ordering::Relaxed);
        }
        true
    }

    /// Whether the run in this folder has such notes.
    pub fn exist(folder: &Path) -> bool {
        folder.join(folder_names::COMMITS).exists()
    }

    /// Copies the notes of one folder to another one.
    ///
    /// # Errors
    /// As [`CommitNotes::open`], and those of the system.
    pub fn copy(from: &Path, to: &Path) -> Result<()> {
        let own = Self::open(from)?;
        let to = to.join(folder_names::COMMITS);
        std::fs::copy(own.path(), &to).map(drop).map_err(failure::writing(&to))
    }

    /// How many sessions it has.
    pub fn sessions(&self) -> u32 {
        self.sessions
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All sessions together.
    pub fn counts(&self) -> CommitCounts {
        let mut all = CommitCounts::default();
        for session in 0..self.sessions {
            let get = |field| self.field(session, field).load(Ordering::Relaxed);
            // A damaged file may hold any number.
            let add = |sum: &mut u64, field| *sum = sum.saturating_add(get(field));
            add(&mut all.acknowledged, Field::Acknowledged);
            add(&mut all.recovered, Field::Recovered);
            add(&mut all.absent, Field::Absent);
            add(&mut all.unresolved, Field::Pending);
            add(&mut all.phantom, Field::Phantom);
            let lost = get(Field::Lost);
            if lost == 0 {
                continue;
            }
            all.lost = all.lost.saturating_add(lost);
            all.sessions_lost += 1;
            all.lost_earlier |= get(Field::LostEarlier) > 0;
            let begin = self.word(BEGIN).load(Ordering::Relaxed);
            let moment = |field| Some(get(field).checked_sub(1)?.saturating_sub(begin));
            if let Some(first) = moment(Field::LostFirst) {
                all.lost_first_us = Some(all.lost_first_us.map_or(first, |least| least.min(first)));
            }
            all.lost_last_us = all.lost_last_us.max(moment(Field::LostLast));
        }
        all
    }

    const fn slot(session: u32) -> usize {
        HEAD + session as usize * SLOT
    }

    fn field(&self, session: u32, field: Field) -> &AtomicU64 {
        self.word(Self::slot(session) + field as usize)
    }

    /// The moment of the session's commit with this number, from 0.
    fn moment(&self, session: u32, number: u64) -> &AtomicU64 {
        let first = HEAD + self.sessions as usize * SLOT + session as usize * self.moments;
        self.word(first + (number % self.moments as u64) as usize)
    }

    #[inline]
    #[expect(
        unsafe_code,
        clippy::cast_ptr_alignment,
        reason = "the file is mapped as bytes from the begin of a page, and several threads write to it"
    )]
    fn word(&self, at: usize) -> &AtomicU64 {
        assert!((at + 1) * 8 <= self.map.len(), "number {at} is outside of the file");
        // SAFETY: it lies within the map, which begins at a page and is only read and written as such
        // numbers, and it is borrowed from the map.
        unsafe { AtomicU64::from_ptr(self.map.as_mut_ptr().cast::<u64>().add(at)) }
    }

    /// Notes which of the last confirmed commits were lost.
    #[cold]
    fn note_lost(&self, session: u32, count: u64) {
        let acknowledged = self.field(session, Field::Acknowledged).load(Ordering::Relaxed);
        let timed = self.field(session, Field::Timed).load(Ordering::Relaxed);
        add(self.field(session, Field::Lost), count);
        let oldest = timed.saturating_sub(self.moments as u64);
        let first = acknowledged.saturating_sub(count);
        if first < oldest {
            self.field(session, Field::LostEarlier).store(1, Ordering::Relaxed);
        }
        if timed == 0 {
            return;
        }
        let at = |number: u64| {
            self.moment(session, number.min(timed - 1)).load(Ordering::Relaxed).saturating_add(1)
        };
        let known = self.field(session, Field::LostFirst);
        if known.load(Ordering::Relaxed) == 0 {
            known.store(at(first.max(oldest)), Ordering::Relaxed);
        }
        self.field(session, Field::LostLast).store(at(timed - 1), Ordering::Relaxed);
    }
}

impl CommitLog for CommitNotes {
    fn key(&self) -> i64 {
        self.key
    }

    #[inline]
    fn sent(&self, session: u32, marks: u64) {
        add(self.field(session, Field::Pending), marks);
    }

    #[inline]
    fn acknowledged(&self, session: u32, marks: u64) {
        // Killed in between, it counts as without an answer, and is looked for.
        add(self.field(session, Field::Expected), marks);
        add(self.field(session, Field::Acknowledged), marks);
        take(self.field(session, Field::Pending), marks);
    }

    fn refused(&self, session: u32, marks: u64) {
        take(self.field(session, Field::Pending), marks);
    }

    #[inline]
    fn timed(&self, session: u32, at: Instant) {
        let timed = self.field(session, Field::Timed);
        let until = self.field(session, Field::Acknowledged).load(Ordering::Relaxed);
        let micros = at.since(Instant::default()).as_micros() as u64;
        for number in timed.load(Ordering::Relaxed)..until {
            self.moment(session, number).store(micros, Ordering::Relaxed);
        }
        timed.store(until, Ordering::Relaxed);
    }

    fn found(&self, session: u32, present: u64) {
        if session >= self.sessions {
            return;
        }
        let expected = self.field(session, Field::Expected).load(Ordering::Relaxed);
        let pending = self.field(session, Field::Pending).load(Ordering::Relaxed);
        let (recovered, absent) =
            (self.field(session, Field::Recovered), self.field(session, Field::Absent));
        if present < expected {
            self.note_lost(session, expected - present);
        }
        let came = present.saturating_sub(expected).min(pending);
        add(recovered, came);
        add(absent, pending - came);
        // More than was under way: one that was thought absent or lost has come late, and is no phantom.
        let mut surplus = present.saturating_sub(expected.saturating_add(pending));
        let late = surplus.min(absent.load(Ordering::Relaxed));
        take(absent, late);
        add(recovered, late);
        surplus -= late;
        let lost = self.field(session, Field::Lost);
        let back = surplus.min(lost.load(Ordering::Relaxed));
        take(lost, back);
        add(self.field(session, Field::Phantom), surplus - back);
        self.field(session, Field::Expected).store(present, Ordering::Relaxed);
        self.field(session, Field::Pending).store(0, Ordering::Relaxed);
    }
}

/// Only its own session writes to a number.
#[inline]
fn add(number: &AtomicU64, by: u64) {
    number.store(number.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
}

#[inline]
fn take(number: &AtomicU64, by: u64) {
    number.store(number.load(Ordering::Relaxed).saturating_sub(by), Ordering::Relaxed);
}

fn bytes(sessions: u64, moments: u64) -> u64 {
    8 * (HEAD as u64 + sessions * (SLOT as u64 + moments))
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
        // Eight of ten, and so not the one that got no answer either.
        notes.found(0, 8);
        // A commit without an answer that is there, and one that was refused.
        commit(&notes, 1, 50);
        notes.sent(1, 1);
        notes.found(1, 2);
        notes.sent(1, 1);
        notes.refused(1, 1);
        notes.found(1, 2);
        // One that came late, and one that was never sent.
        notes.sent(2, 1);
        notes.found(2, 0);
        notes.found(2, 2);
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
            for session in (0..3).filter(|own| notes.has(*own)) {
                (0..4).for_each(|number| commit(&notes, session, 1_100 + number));
                notes.found(session, 4 - u64::from(session));
            }
            drop(notes);
            let again = CommitNotes::open(folder.path())?;
            assert_eq!(again.numbers().len(), [2, 1][place as usize]);
            assert!(again.numbers().iter().all(|(session, own)| whole.take_over(*session, own)));
        }
        let counts = whole.counts();
        assert_eq!((counts.acknowledged, counts.lost, counts.sessions_lost), (12, 3, 2));
        assert_eq!((counts.lost_first_us, counts.lost_last_us), (Some(102), Some(103)));
        // The same again changes nothing; what was thought lost may come.
        (0..3).for_each(|session| whole.found(session, 4 - u64::from(session)));
        assert_eq!(whole.counts(), counts);
        whole.is_elsewhere(1);
        assert_eq!([0, 1, 2, 3].map(|own| whole.has(own)), [true, false, true, false]);
        assert!(!whole.take_over(3, &[0; SLOT]) && !whole.take_over(0, &[0; 3]));
        Ok(())
    }

    #[test]
    fn more_lost_than_moments_are_kept_is_said() -> Result<()> {
        let folder = tempfile::tempdir().expect("a folder");
        let notes = CommitNotes::create(folder.path(), 1, 0)?;
        let all = MOMENTS as u64 + 10;
        (0..all).for_each(|number| commit(&notes, 0, number));
        notes.found(0, 0);
        let counts = notes.counts();
        assert_eq!((counts.lost, counts.lost_first_us, counts.lost_earlier), (all, Some(10), true));
        Ok(())
    }

    #[test]
    fn a_damaged_file_is_refused() -> Result<()> {
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
}
