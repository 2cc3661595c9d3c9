//! The lock that tells a run that is going on from one that was killed.
//!
//! The operating system frees it when the process ends, however it ends. A file system without
//! locks makes a running run look killed, which is a lesser harm than to refuse the run.
//! Start reading at [`RunLock`].
#![expect(clippy::disallowed_methods, reason = "this crate is the one that writes run files")]

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use tacho_core::Result;

use crate::{failure, regular};

const FILE: &str = "run.lock";

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
    pub(crate) fn release(self) {
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
