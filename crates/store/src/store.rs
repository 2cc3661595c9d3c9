//! The run store: the `runs` folder below a root folder that the caller specifies.
//!
//! Reading from the store must never create anything. Start reading at [`Store::list`].

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{cmp, fs, io};

use tacho_core::Result;

use crate::entry::{Entry, file_name, is_unfinished};
use crate::{SweepStore, failure, folder};

/// All runs below a root folder.
#[derive(Clone, Debug)]
pub struct Store {
    runs: PathBuf,
}

impl Store {
    /// Opens the store below `root` without accessing any files. A missing root means an empty store.
    pub fn open(root: &Path) -> Self {
        Self { runs: root.join("runs") }
    }

    /// Returns the folder that contains the run folders.
    pub fn path(&self) -> &Path {
        &self.runs
    }

    /// Returns the sweeps below the same root folder.
    pub fn sweeps(&self) -> SweepStore {
        SweepStore::open(self.runs.parent().unwrap_or(Path::new(".")))
    }

    /// Returns all runs, the newest first. Includes damaged runs.
    pub fn list(&self) -> Result<Vec<Entry>> {
        let mut found: Vec<Entry> = self.folders()?.into_iter().filter_map(Entry::read).collect();
        found.sort_by_cached_key(|entry| cmp::Reverse((entry.started(), file_name(entry.path()))));
        Ok(found)
    }

    /// Returns the ids in use, according to the folder names.
    pub(crate) fn ids(&self) -> Result<HashSet<String>> {
        let folders = self.folders()?;
        Ok(folders.iter().map(|path| folder::id(&file_name(path)).to_owned()).collect())
    }

    /// Returns the folders of all runs. Hidden folders left over from interrupted removals are omitted.
    pub(crate) fn folders(&self) -> Result<Vec<PathBuf>> {
        let mut folders = self.all_folders()?;
        folders.retain(|path| !file_name(path).starts_with('.'));
        Ok(folders)
    }

    /// Returns the folders left over from interrupted removals, and from runs that were killed before they started.
    pub(crate) fn remains(&self) -> Result<Vec<PathBuf>> {
        let mut folders = self.all_folders()?;
        folders.retain(|path| file_name(path).starts_with(REMOVING) || is_unfinished(path));
        Ok(folders)
    }

    fn all_folders(&self) -> Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.runs) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failure::reading(&self.runs))?,
        };
        let mut folders = Vec::new();
        for entry in entries {
            let path = entry.map_err(failure::reading(&self.runs))?.path();
            if path.is_dir() {
                folders.push(path);
            }
        }
        Ok(folders)
    }
}

/// Name prefix of a folder that is being removed.
pub(crate) const REMOVING: &str = ".removing-";
