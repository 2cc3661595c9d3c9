//! The log of acknowledged commits. It is a memory-mapped file in the run's folder, so its contents
//! survive if the process is killed.
//!
//! The file has its full size from the start, so recording a commit needs no system call.
//!
//! Start reading at [`CommitNotes`].
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "the tests damage files"))]

mod counts;
mod layout;
mod notes;
mod recording;
mod shares;

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use memmap2::{MmapOptions, MmapRaw};
use tacho_core::units::counted;
use tacho_core::{Error, ErrorKind, Instant, Result};

use crate::{failure, folder as folder_names, regular};
pub use counts::CommitCounts;
use layout::{Condition, Layout};
use notes::Notes;

/// The first word of the file: `tachoACK` as an integer in native byte order.
const MAGIC: u64 = u64::from_ne_bytes(*b"tachoACK");
const VERSION: u64 = 2;
/// The file version without checksums and mark numbers.
const UNCHECKED: u64 = 1;
/// Indexes of words in the header. If several hosts take part in the run, `PLACE` is the number of
/// this host and `PLACES` is the total number of hosts. If `PLACES` is 0, the file covers all
/// sessions.
const BEGIN: usize = 5;
const PLACE: usize = 6;
const PLACES: usize = 7;
/// Number of commits per session whose times are kept. The most recent ones are enough, because a server that loses
/// commits usually loses only those of the last second.
const MOMENTS: usize = 4096;
/// Limits for the number of commit times that are kept: a maximum for all sessions together (32 MiB), and a minimum for
/// each session.
const MOMENTS_ALL: usize = 1 << 22;
const MOMENTS_MIN: usize = 16;
/// Maximum number of sessions in a file.
const SESSIONS_MAX: u64 = 1 << 20;

/// The commit log of a run.
#[derive(Debug)]
pub struct CommitNotes {
    layout: Layout,
    path: PathBuf,
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
        // Write zeros to allocate the disk space in advance. If the disk became full later, a write to the mapped file
        // would kill the process.
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
    /// Returns [`ErrorKind::Missing`] if the run has no commit log, or [`ErrorKind::Protocol`] if the log is damaged.
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

    /// Returns an error if the notes were modified by anything but Tacho.
    fn require_whole(&self) -> Result<()> {
        let is_damaged = |session: &u32| self.layout.condition(*session) == Condition::Damaged;
        let sessions = (0..self.layout.sessions).filter(is_damaged).count() as u64;
        let what = match (self.layout.has_whole_head(), sessions) {
            (true, 0) => return Ok(()),
            (true, some) => format!("the notes of {}", counted(some, "session")),
            (false, _) => "its header".to_owned(),
        };
        Err(damaged(&self.path, &format!("the checksum of {what} does not match")))
    }

    /// Returns true if the notes have checksums. Earlier versions did not write any.
    pub fn has_checksums(&self) -> bool {
        self.layout.is_checked
    }

    /// Returns a word of the header.
    fn head(&self, at: usize) -> u64 {
        self.layout.word(at).load(Ordering::Relaxed)
    }

    /// Records when the load started according to the sessions' clock.
    pub fn begins(&self, at: Instant) {
        let micros = at.since(Instant::default()).as_micros() as u64;
        self.layout.set_head(BEGIN, micros);
    }

    /// Returns true if the run in `folder` has a commit log.
    pub fn exist(folder: &Path) -> bool {
        folder.join(folder_names::COMMITS).exists()
    }

    /// Copies the commit log from one folder to another.
    ///
    /// # Errors
    /// Fails like [`CommitNotes::open`], or returns an I/O error.
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

    /// Modifies the notes of a session.
    #[inline]
    fn change(&self, session: u32, change: impl FnOnce(&mut Notes)) {
        let mut notes = self.layout.read(session);
        change(&mut notes);
        self.layout.write(session, &notes);
    }
}

fn damaged(path: &Path, why: &str) -> Error {
    let text = format!("{} is damaged: {why}", path.display());
    Error::new(ErrorKind::Protocol, text).hint(failure::FROM_COPY)
}

fn map(file: &File, path: &Path) -> Result<MmapRaw> {
    MmapOptions::new().map_raw(file).map_err(failure::writing(path))
}

#[cfg(test)]
mod tests;
