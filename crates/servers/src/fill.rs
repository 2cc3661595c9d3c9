//! Fills the disk of a private server with a file that occupies all free space.
//!
//! The disk must be separate from the rest of the system, which would otherwise run out of space. Start reading at
//! [`ServerPool::fill`].

use std::path::{Path, PathBuf};

use tacho_core::{Error, ErrorKind, Result};

use crate::server_pool::ServerPool;
use crate::system::{about, take_space};

const FILE: &str = "tacho-ballast";
/// Number of failed allocations after which the disk counts as full. An allocation may fail because other programs used
/// the space first, or because the remaining space is reserved. The next attempt therefore allocates less, down to one
/// block.
const ATTEMPTS: u32 = 12;

/// The file that occupies the space. Dropping this value removes the file.
pub struct Ballast(PathBuf);

impl Ballast {
    /// Frees the space.
    ///
    /// # Errors
    /// Returns any I/O error.
    pub fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.0)
            .map_err(|error| Error::from(error).during(format!("remove {}", self.0.display())))
    }
}

impl Drop for Ballast {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl ServerPool {
    /// Checks that a server's disk has its own file system. [`ServerPool::fill`] must not fill a
    /// file system that is used by others.
    ///
    /// # Errors
    /// Returns a usage error if the name is unknown, or [`ErrorKind::Unsupported`] if the file system is shared.
    pub fn require_own_disk(&self, name: &str) -> Result<()> {
        self.state_of(name)?;
        require_own(&self.folder_of(name).canonicalize()?, name)
    }

    /// Fills a server's file system.
    ///
    /// # Errors
    /// Fails like [`ServerPool::require_own_disk`], or returns an I/O error.
    pub fn fill(&self, name: &str) -> Result<Ballast> {
        self.require_own_disk(name)?;
        let folder = self.folder_of(name).canonicalize()?;
        let ballast = Ballast(folder.join(FILE));
        take_space(&ballast.0, ATTEMPTS)
            .map_err(|error| Error::from(error).during(format!("fill the disk of {name}")))?;
        Ok(ballast)
    }

    /// Frees disk space that is still occupied because the command that called [`ServerPool::fill`]
    /// was killed.
    ///
    /// # Errors
    /// Returns any I/O error.
    pub fn empty(&self, name: &str) -> Result<()> {
        let ballast = Ballast(self.folder_of(name).join(FILE));
        if ballast.0.exists() { ballast.remove() } else { Ok(()) }
    }
}

/// Checks that the servers' folder is on a separate file system.
fn require_own(folder: &Path, name: &str) -> Result<()> {
    let device = |path: &Path| path.metadata().map(|found| about(&found).device);
    let server_device = device(folder)?;
    // The folder with the run records is two levels above the server's folder.
    let runs = folder.ancestors().nth(2).unwrap_or(folder);
    if server_device != device(runs)? && server_device != device(Path::new("/"))? {
        return Ok(());
    }
    let text = format!("{name}'s file system also contains other files");
    Err(Error::new(ErrorKind::Unsupported, text)
        .during("fill the disk")
        .hint("before using tacho up, mount a small file system, such as a tmpfs, on the servers folder inside --dir"))
}
