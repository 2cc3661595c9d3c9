//! Locks between processes. They protect a run in progress, changes to files, and the measurement of a sweep or
//! pipeline.
//!
//! The operating system releases a lock when the process that holds it ends. If the system does not support locks, a
//! run in progress cannot be distinguished from a killed one, so it appears to have been killed.
//!
//! Start reading at [`RunLock`] and [`EditLock`].
#![expect(clippy::disallowed_methods, reason = "this crate writes the run files")]

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};

use crate::{failure, regular};

const FILE: &str = "run.lock";
/// Lock file for systems that cannot lock a folder.
const EDIT_FILE: &str = ".lock";
/// Interval between attempts to lock a folder, and the maximum number of attempts. Other processes hold the lock for
/// only milliseconds.
const PAUSE: Duration = Duration::from_millis(5);
const ATTEMPTS: u32 = 4_000;

/// The lock of the process that is writing a run.
#[derive(Debug)]
pub(crate) struct RunLock {
    path: PathBuf,
    /// The open file. Closing it releases the lock.
    _file: File,
}

impl RunLock {
    /// Locks a newly created folder.
    pub(crate) fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let file = File::create(&path).map_err(failure::writing(&path))?;
        let _ = file.try_lock();
        Ok(Self { path, _file: file })
    }

    /// Releases the lock and removes its file.
    pub(crate) fn release(&self) {
        // Ignore errors. Even if the file remains, the lock is released when the process ends.
        let _ = fs::remove_file(&self.path);
    }
}

/// Returns true if another process holds the lock of this folder. This function tries to take a shared lock, so several
/// readers can check at the same time.
pub(crate) fn is_held(folder: &Path) -> bool {
    regular::open(&folder.join(FILE))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns true if a process was killed while it held the lock of this folder.
pub(crate) fn has_remained(folder: &Path) -> bool {
    folder.join(FILE).exists() && !is_held(folder)
}

/// The lock held while a file is read, changed and written back. Without it, two processes could overwrite each other's
/// changes.
#[derive(Debug)]
pub(crate) struct EditLock {
    /// The open folder. Closing it releases the lock. `None` if the file system has no locks.
    _folder: Option<File>,
}

impl EditLock {
    /// Waits until no other process changes files in this folder. The folder must exist.
    ///
    /// # Errors
    /// Returns a lock-timeout error if another process holds the lock for 20 seconds, or any I/O error.
    pub(crate) fn take(folder: &Path) -> Result<Self> {
        let file = lockable(folder).map_err(failure::writing(folder))?;
        for _ in 0..ATTEMPTS {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _folder: Some(file) }),
                Err(TryLockError::WouldBlock) => pause(),
                Err(TryLockError::Error(_)) => return Ok(Self { _folder: None }),
            }
        }
        let text = format!(
            "timed out after 20 s because another process is changing {}",
            folder.display()
        );
        Err(Error::new(ErrorKind::LockTimeout, text)
            .hint("wait for the other process to finish, or stop it, and then try again"))
    }
}

/// Opens the folder to be locked. On systems that cannot open folders, opens a lock file in the
/// folder instead.
fn lockable(folder: &Path) -> io::Result<File> {
    if cfg!(unix) {
        File::open(folder)
    } else {
        File::options().append(true).create(true).open(folder.join(EDIT_FILE))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "waits in real time, because the other process does not use virtual time"
)]
fn pause() {
    std::thread::sleep(PAUSE);
}

/// An exclusive claim of a process on a sweep or a pipeline. Only this process may measure it and rewrite its record.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    folder: PathBuf,
    /// The open file. Closing it releases the claim.
    file: Option<File>,
}

impl Claim {
    /// Claims a record for this process, or returns `None` if another process has claimed it.
    pub(crate) fn take(record: &Path) -> Result<Option<Self>> {
        let folder = record.parent().unwrap_or(Path::new(".")).to_owned();
        fs::create_dir_all(&folder).map_err(failure::writing(&folder))?;
        let path = record.with_extension("lock");
        // Without this lock, another process could remove the lock file after it has been created but before it is
        // locked.
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
        // Ignore errors. Even if the file remains, the lock is released when the process ends.
        if let Ok(_edit) = EditLock::take(&self.folder) {
            drop(self.file.take());
            let _ = fs::remove_file(&self.path);
        }
    }
}
