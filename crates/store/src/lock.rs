//! Locks between processes: one tells a run in progress from one that was killed, one keeps two changes
//! of a file apart, and one keeps a sweep or pipeline from being measured twice at once.
//!
//! The operating system frees them when the process ends, however it ends. A file system without
//! locks makes a running run look killed, which is a lesser harm than to refuse the run.
//! Start reading at [`RunLock`] and [`EditLock`].
#![expect(clippy::disallowed_methods, reason = "this crate is the one that writes run files")]

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};

use crate::{failure, regular};

const FILE: &str = "run.lock";
/// Stands for the folder where a folder cannot be locked.
const EDIT_FILE: &str = ".lock";
/// Interval between two attempts to lock a folder, and their number: other edits take milliseconds.
const PAUSE: Duration = Duration::from_millis(5);
const ATTEMPTS: u32 = 4_000;

/// Held by the process that writes a run.
#[derive(Debug)]
pub(crate) struct RunLock {
    path: PathBuf,
    /// Closing it frees the lock.
    _file: File,
}

impl RunLock {
    /// Takes the lock of a folder that was just made.
    pub(crate) fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let file = File::create(&path).map_err(failure::writing(&path))?;
        let _ = file.try_lock();
        Ok(Self { path, _file: file })
    }

    /// Frees the lock and removes its file.
    pub(crate) fn release(&self) {
        // Left behind it only costs a name: the lock itself is free once the process ends.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether a process holds the lock of this folder. Asks for a shared lock, so that two readers
/// do not take each other for the writer.
pub(crate) fn is_held(folder: &Path) -> bool {
    regular::open(&folder.join(FILE))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Held while a file of a folder is read, changed and written, so that no other process's change is lost.
#[derive(Debug)]
pub(crate) struct EditLock {
    /// Closing it frees the lock. Absent where the file system has no locks.
    _folder: Option<File>,
}

impl EditLock {
    /// Waits until nobody else changes files of this existing folder.
    ///
    /// # Errors
    /// Returns a lock timeout if another process holds the lock for 20 seconds, and any I/O error.
    pub(crate) fn take(folder: &Path) -> Result<Self> {
        let file = lockable(folder).map_err(failure::writing(folder))?;
        for _ in 0..ATTEMPTS {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _folder: Some(file) }),
                Err(TryLockError::WouldBlock) => pause(),
                Err(TryLockError::Error(_)) => return Ok(Self { _folder: None }),
            }
        }
        let text = format!("another process has been changing {} for 20 s", folder.display());
        Err(Error::new(ErrorKind::LockTimeout, text)
            .hint("wait until it has finished, or end it, and repeat the command"))
    }
}

/// Opens the folder itself, which leaves no file behind, or a file in it where folders cannot be opened.
fn lockable(folder: &Path) -> io::Result<File> {
    if cfg!(unix) {
        File::open(folder)
    } else {
        File::options().append(true).create(true).open(folder.join(EDIT_FILE))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "another process is waited for, outside of any virtual time"
)]
fn pause() {
    std::thread::sleep(PAUSE);
}

/// Held by the process that measures a sweep or a pipeline, whose record it writes again and again.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    folder: PathBuf,
    /// Closing it frees the claim.
    file: Option<File>,
}

impl Claim {
    /// Claims a record for this process; `None` if another one has it.
    pub(crate) fn take(record: &Path) -> Result<Option<Self>> {
        let folder = record.parent().unwrap_or(Path::new(".")).to_owned();
        fs::create_dir_all(&folder).map_err(failure::writing(&folder))?;
        let path = record.with_extension("lock");
        // Under this lock no other process removes the file between the next two calls.
        let _edit = EditLock::take(&folder)?;
        let file = File::options().append(true).create(true).open(&path);
        let file = file.map_err(failure::writing(&path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            _ => Ok(Some(Self { path, folder, file: Some(file) })),
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A file that remains only costs a name: its lock is free once the process ends.
        if let Ok(_edit) = EditLock::take(&self.folder) {
            drop(self.file.take());
            let _ = fs::remove_file(&self.path);
        }
    }
}
