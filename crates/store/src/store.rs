//! The store: the folder `runs` under a root that the caller names.
//!
//! It must never create anything when it is only read. Start reading at [`Store::list`].

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{cmp, fs, io};

use tacho_core::Result;

use crate::entry::{Entry, file_name};
use crate::{SweepStore, failure, folder};

/// All runs under one root.
#[derive(Clone, Debug)]
pub struct Store {
    runs: PathBuf,
}

impl Store {
    /// The store under `root`. Nothing is touched yet; a root that is not there is an empty store.
    pub fn open(root: &Path) -> Self {
        Self { runs: root.join("runs") }
    }

    /// The folder of the runs' folders.
    pub fn path(&self) -> &Path {
        &self.runs
    }

    /// The sweeps of the same root.
    pub fn sweeps(&self) -> SweepStore {
        SweepStore::open(self.runs.parent().unwrap_or(Path::new(".")))
    }

    /// All runs, newest first. Damaged ones are among them.
    pub fn list(&self) -> Result<Vec<Entry>> {
        let mut found: Vec<Entry> = self.folders()?.into_iter().filter_map(Entry::read).collect();
        found.sort_by_cached_key(|entry| cmp::Reverse((entry.started(), file_name(entry.path()))));
        Ok(found)
    }

    /// The ids in use, from the names of the folders.
    pub(crate) fn ids(&self) -> Result<HashSet<String>> {
        let folders = self.folders()?;
        Ok(folders.iter().map(|path| folder::id(&file_name(path)).to_owned()).collect())
    }

    /// The folders of all runs. Hidden ones are not runs: of those the removal was cut off.
    pub(crate) fn folders(&self) -> Result<Vec<PathBuf>> {
        let mut folders = self.all_folders()?;
        folders.retain(|path| !file_name(path).starts_with('.'));
        Ok(folders)
    }

    /// What is left of runs whose removal was cut off.
    pub(crate) fn remains(&self) -> Result<Vec<PathBuf>> {
        let mut folders = self.all_folders()?;
        folders.retain(|path| file_name(path).starts_with(REMOVING));
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

/// Begins the name of a folder that is being removed.
pub(crate) const REMOVING: &str = ".removing-";
