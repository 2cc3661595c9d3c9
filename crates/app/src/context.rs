//! What a use case may use of the world.

use std::path::PathBuf;
use std::sync::Arc;

use tacho_driver::Output;
use tacho_engine::Interrupt;
use tacho_servers::ServerPool;
use tacho_store::{JournalStore, Store};

use crate::Trust;

/// Hears how many bytes of how many have been read of a long file.
pub type Reading = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// The world of a use case.
#[derive(Clone)]
pub struct Context {
    /// Folder for run records and for the embedded database.
    pub folder: PathBuf,
    /// Where drivers that write text write it.
    pub output: Output,
    /// The user's wish to stop.
    pub interrupt: Interrupt,
    /// Called while a long file is read.
    pub reading: Reading,
    /// Which programs and code the user allows from files, records and requests.
    pub trust: Trust,
}

impl Context {
    /// The store of run records.
    pub fn store(&self) -> Store {
        Store::open(&self.folder)
    }

    /// What sweeps have still to put back.
    pub fn journals(&self) -> JournalStore {
        JournalStore::open(&self.folder)
    }

    /// The private servers.
    pub fn server_pool(&self) -> ServerPool {
        ServerPool::open(self.folder.join("servers"), tacho_registry::servers())
    }

    /// Folder of databases that we run ourselves.
    pub fn embedded(&self) -> PathBuf {
        self.folder.join("embedded")
    }

    /// Whether the user wants to stop.
    pub fn interrupted(&self) -> bool {
        self.interrupt.interrupt_count() > 0
    }
}
