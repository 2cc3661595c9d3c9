//! A full disk: a file that takes all space of the file system that a private server has for itself.
//!
//! It must never fill a file system that holds anything else. Start reading at [`ServerPool::fill`].

use std::path::{Path, PathBuf};

use tacho_core::{Error, ErrorKind, Result};

use crate::server_pool::ServerPool;
use crate::system::{about, take_space};

const FILE: &str = "tacho-ballast";
/// Attempts to take what other writers gave back or the file system had set aside.
const ATTEMPTS: u32 = 8;

/// The file; the space is taken until it is removed or dropped.
pub struct Ballast(PathBuf);

impl Ballast {
    /// Gives the space back.
    ///
    /// # Errors
    /// Those of the system.
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
    /// Requires that a server has a file system of its own, which [`ServerPool::fill`] may fill.
    ///
    /// # Errors
    /// Usage, if there is no server of this name; Unsupported.
    pub fn require_own_disk(&self, name: &str) -> Result<()> {
        self.state_of(name)?;
        require_own(&self.folder_of(name).canonicalize()?, name)
    }

    /// Fills the file system of a server.
    ///
    /// # Errors
    /// Those of [`ServerPool::require_own_disk`] and of the system.
    pub fn fill(&self, name: &str) -> Result<Ballast> {
        self.require_own_disk(name)?;
        let folder = self.folder_of(name).canonicalize()?;
        let ballast = Ballast(folder.join(FILE));
        take_space(&ballast.0, ATTEMPTS)
            .map_err(|error| Error::from(error).during(format!("fill the disk of {name}")))?;
        Ok(ballast)
    }

    /// Gives back the space that [`ServerPool::fill`] of a killed command has taken, if any.
    ///
    /// # Errors
    /// Returns any I/O error.
    pub fn empty(&self, name: &str) -> Result<()> {
        let ballast = Ballast(self.folder_of(name).join(FILE));
        if ballast.0.exists() { ballast.remove() } else { Ok(()) }
    }
}

/// Requires that the folder of servers is a file system of its own.
fn require_own(folder: &Path, name: &str) -> Result<()> {
    let device = |path: &Path| path.metadata().map(|found| about(&found).device);
    let own = device(folder)?;
    // The folder, the folder of all servers, and the one that holds the runs.
    let runs = folder.ancestors().nth(2).unwrap_or(folder);
    if own != device(runs)? && own != device(Path::new("/"))? {
        return Ok(());
    }
    let text = format!("the file system of {name} holds more than private servers");
    Err(Error::new(ErrorKind::Unsupported, text)
        .during("fill the disk")
        .hint("mount a small file system, such as a tmpfs, at the folder servers of --dir before tacho up"))
}
