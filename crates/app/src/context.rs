//! Services available to a use case.

use std::path::PathBuf;
use std::sync::Arc;

use tacho_driver::Output;
use tacho_engine::Interrupt;
use tacho_servers::ServerPool;
use tacho_store::{JournalStore, Store};

use crate::Trust;

/// A callback that receives the number of bytes read from a large file and the file's total size.
pub type Reading = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// The environment in which a use case runs.
#[derive(Clone)]
pub struct Context {
    /// The folder that contains the run records and the embedded databases.
    pub folder: PathBuf,
    /// The file or stream to which drivers write SQL text if they do not use a database.
    pub output: Output,
    /// The interrupt state, which is set when the user asks Tacho to stop.
    pub interrupt: Interrupt,
    /// A callback that reports progress in reading a large file.
    pub reading: Reading,
    /// The programs and code that the user trusts. Configuration files, records and requests cannot start any others.
    pub trust: Trust,
}

impl Context {
    /// Returns the store of run records.
    pub fn store(&self) -> Store {
        Store::open(&self.folder)
    }

    /// Returns the store of journals. A journal contains the server settings that a sweep has changed but not yet
    /// restored.
    pub fn journals(&self) -> JournalStore {
        JournalStore::open(&self.folder)
    }

    /// Returns the pool of private servers.
    pub fn server_pool(&self) -> ServerPool {
        ServerPool::open(self.folder.join("servers"), tacho_registry::servers())
    }

    /// Returns the folder of embedded databases.
    pub fn embedded(&self) -> PathBuf {
        self.folder.join("embedded")
    }

    /// Returns true if the user has asked Tacho to stop.
    pub fn interrupted(&self) -> bool {
        self.interrupt.interrupt_count() > 0
    }
}
