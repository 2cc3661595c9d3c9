//! Removing old runs by number, age and size.
//!
//! It must never remove a run that is tagged, going on or unreadable.
//! Start reading at [`Store::prune`].

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tacho_core::{Error, Result};

use crate::entry::file_name;
use crate::store::REMOVING;
use crate::{Entry, Run, Store, failure};

/// Which runs go. Each limit that is given removes on its own; tagged runs stay.
#[derive(Clone, Copy, Debug)]
pub struct PrunePolicy {
    /// How many of the newest untagged runs stay.
    pub keep: Option<usize>,
    /// Untagged runs that began longer than this before `now` go.
    pub older_than: Option<Duration>,
    /// The time to count ages from.
    pub now: SystemTime,
    /// Most bytes of all runs together: the oldest untagged ones go until they fit.
    pub max_bytes: Option<u64>,
    /// Only tell what would go.
    pub dry_run: bool,
}

/// A run that was removed, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Its id.
    pub id: String,
    /// Its folder.
    pub path: PathBuf,
    /// Size of its files.
    pub bytes: u64,
}

impl Store {
    /// Removes what the policy says, newest first in the answer.
    pub fn prune(&self, policy: &PrunePolicy) -> Result<Vec<Removed>> {
        if policy.keep.is_none() && policy.older_than.is_none() && policy.max_bytes.is_none() {
            return Err(Error::usage("prune needs a limit")
                .hint("give --keep 20, --older-than 30d or --max-size 1000"));
        }
        let going = self.going(policy)?;
        if !policy.dry_run {
            for path in self.remains()? {
                fs::remove_dir_all(&path).map_err(failure::writing(&path))?;
            }
            going.iter().try_for_each(|run| remove(&run.path))?;
        }
        Ok(going)
    }

    fn going(&self, policy: &PrunePolicy) -> Result<Vec<Removed>> {
        let entries = self.list()?;
        let (loose, fixed): (Vec<&Entry>, Vec<&Entry>) =
            entries.iter().partition(|entry| loose(entry).is_some());
        let mut total: u64 = fixed.iter().map(|entry| size(entry.path())).sum();
        let mut going = Vec::new();
        for (place, entry) in loose.into_iter().enumerate() {
            let bytes = size(entry.path());
            // Grows also by what goes, so that nothing older stays than what goes.
            total += bytes;
            if policy.removes(place, entry, total) {
                let (id, path) = (entry.id().to_owned(), entry.path().to_owned());
                going.push(Removed { id, path, bytes });
            }
        }
        Ok(going)
    }
}

impl PrunePolicy {
    /// Whether the untagged run at `place` (0 is the newest) goes, if all tagged runs and the
    /// untagged ones up to it have `total` bytes.
    fn removes(&self, place: usize, entry: &Entry, total: u64) -> bool {
        let age = self.now.duration_since(entry.started()).unwrap_or_default();
        self.keep.is_some_and(|keep| place >= keep)
            || self.older_than.is_some_and(|limit| age > limit)
            || self.max_bytes.is_some_and(|limit| total > limit)
    }
}

/// The run, if it may be removed.
fn loose(entry: &Entry) -> Option<&Run> {
    match entry {
        Entry::Loaded(run) if run.record.tags.is_empty() && !run.running => Some(run),
        _ => None,
    }
}

/// Size of the files in a folder; what cannot be read counts nothing.
fn size(folder: &Path) -> u64 {
    let Ok(files) = fs::read_dir(folder) else { return 0 };
    files.flatten().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

/// Renames first, so that a removal that is cut off leaves no half run to be listed.
fn remove(folder: &Path) -> Result<()> {
    let hidden = folder.with_file_name(format!("{REMOVING}{}", file_name(folder)));
    fs::rename(folder, &hidden).map_err(failure::writing(folder))?;
    fs::remove_dir_all(&hidden).map_err(failure::writing(&hidden))
}
