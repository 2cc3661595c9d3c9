//! What a use case may use of the world.

use std::path::PathBuf;

use tacho_driver::Output;
use tacho_engine::Interrupt;
use tacho_store::Store;

/// The world of a use case.
#[derive(Clone)]
pub struct Context {
    /// Folder for run records and for the embedded database.
    pub folder: PathBuf,
    /// Where drivers that write text write it.
    pub output: Output,
    /// The user's wish to stop.
    pub interrupt: Interrupt,
}

impl Context {
    /// The store of run records.
    pub fn store(&self) -> Store {
        Store::open(&self.folder)
    }

    /// Folder of databases that we run ourselves.
    pub fn embedded(&self) -> PathBuf {
        self.folder.join("embedded")
    }

    /// Whether the user wants to stop.
    pub fn interrupted(&self) -> bool {
        self.interrupt.presses() > 0
    }
}
