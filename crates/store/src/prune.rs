//! Removes old runs by count, age and size. A sweep is kept or removed as a whole.
//!
//! Tagged, running and unreadable runs are never removed.
//!
//! Start reading at [`Store::prune`].

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tacho_core::{Error, ErrorKind, Result};

use crate::entry::file_name;
use crate::lock::EditLock;
use crate::record::RunState;
use crate::store::REMOVING;
use crate::sweep::SweepRecord;
use crate::{Entry, Run, Store, SweepEntry, failure, folder};

/// Time for which an incomplete sweep is kept after its last change, so that the user can still resume it.
const RESUMABLE: Duration = Duration::from_hours(24);

/// Limits on the runs to keep. A run that exceeds any of the limits is removed, unless it has a
/// tag.
#[derive(Clone, Copy, Debug)]
pub struct PrunePolicy {
    /// Number of most recent untagged runs to keep. If one run of a sweep is kept, the entire sweep is kept.
    pub keep: Option<usize>,
    /// Maximum age of untagged runs. A sweep is as old as its newest run.
    pub older_than: Option<Duration>,
    /// The time from which ages are calculated.
    pub now: SystemTime,
    /// Maximum size of all runs in bytes. The oldest untagged runs are removed until the others fit.
    pub max_bytes: Option<u64>,
    /// True to report which runs would be removed, without removing them.
    pub dry_run: bool,
}

/// A run or sweep that was removed or, in a dry run, would have been removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Id of the run or sweep.
    pub id: String,
    /// The run's folder or the sweep's file.
    pub path: PathBuf,
    /// Total size of the files.
    pub bytes: u64,
    /// True for a sweep, false for a run.
    pub is_sweep: bool,
}

/// Runs that are kept or removed together: a sweep with all its runs, or a single run.
struct Unit<'a> {
    sweep: Option<&'a SweepEntry>,
    runs: Vec<&'a Entry>,
    /// Start time of the newest run.
    started: SystemTime,
    bytes: u64,
}

impl Store {
    /// Removes the runs that the policy selects, and returns them, newest first.
    pub fn prune(&self, policy: &PrunePolicy) -> Result<Vec<Removed>> {
        if policy.keep.is_none() && policy.older_than.is_none() && policy.max_bytes.is_none() {
            return Err(Error::usage("prune needs a limit")
                .hint("use --keep 20, --older-than 30d or --max-size 1000"));
        }
        let going = self.going(policy)?;
        if !policy.dry_run {
            self.remove_remains()?;
            going.iter().try_for_each(remove)?;
        }
        Ok(going)
    }

    /// Removes the folders of interrupted removals and of runs that never started.
    fn remove_remains(&self) -> Result<()> {
        if !self.path().exists() {
            return Ok(());
        }
        let _lock = EditLock::take(self.path())?;
        for path in self.remains()? {
            fs::remove_dir_all(&path).map_err(failure::writing(&path))?;
        }
        Ok(())
    }

    fn going(&self, policy: &PrunePolicy) -> Result<Vec<Removed>> {
        let (entries, sweeps) = (self.list()?, self.sweeps().list()?);
        let (loose, fixed): (Vec<Unit<'_>>, Vec<Unit<'_>>) =
            units(&entries, &sweeps)?.into_iter().partition(|unit| unit.is_loose(policy.now));
        let mut total: u64 = fixed.iter().map(|unit| unit.bytes).sum();
        let (mut place, mut going) = (0, Vec::new());
        for unit in loose {
            // Count the size even if the sweep or run is removed. Otherwise, an older one might be kept only because it
            // is smaller.
            total += unit.bytes;
            if policy.removes(place, unit.started, total) {
                going.extend(unit.removed());
            }
            place += unit.runs.len();
        }
        Ok(going)
    }
}

/// Groups all runs into units, newest first. The runs of a sweep form one unit.
fn units<'a>(entries: &'a [Entry], sweeps: &'a [SweepEntry]) -> Result<Vec<Unit<'a>>> {
    let mut rest: Vec<&Entry> = entries.iter().collect();
    let mut units = Vec::new();
    for sweep in sweeps {
        let record = readable(sweep)?;
        let is_own = |entry: &&Entry| record.runs().any(|id| id == entry.id());
        let (runs, others): (Vec<&Entry>, Vec<&Entry>) = rest.into_iter().partition(is_own);
        rest = others;
        let begun = folder::started(&record.started_at).unwrap_or(SystemTime::UNIX_EPOCH);
        units.push(Unit::of(Some(sweep), runs, begun));
    }
    units.extend(rest.into_iter().map(|entry| Unit::of(None, vec![entry], entry.started())));
    units.sort_by_key(|unit| Reverse(unit.started));
    Ok(units)
}

/// Returns the sweep's record. If it cannot be read, returns an error, because the record lists the runs that belong to
/// the sweep.
fn readable(sweep: &SweepEntry) -> Result<&SweepRecord> {
    sweep.record.as_ref().map_err(|error| {
        let text = format!(
            "sweep {} cannot be read, so it is unknown which runs belong to it: {error}",
            sweep.id
        );
        Error::new(ErrorKind::Protocol, text)
            .hint(format!("restore {} from a copy, or remove it", sweep.path.display()))
    })
}

impl<'a> Unit<'a> {
    fn of(sweep: Option<&'a SweepEntry>, runs: Vec<&'a Entry>, begun: SystemTime) -> Self {
        let newest = runs.iter().map(|entry| entry.started()).max();
        let of_file =
            sweep.and_then(|sweep| sweep.path.metadata().ok()).map_or(0, |data| data.len());
        let bytes = of_file + runs.iter().map(|entry| size(entry.path())).sum::<u64>();
        Self { sweep, runs, started: newest.unwrap_or(begun).max(begun), bytes }
    }

    /// Returns true if all runs of the unit may be removed.
    fn is_loose(&self, now: SystemTime) -> bool {
        self.runs.iter().all(|entry| loose(entry).is_some()) && !self.is_resumable(now)
    }

    fn is_resumable(&self, now: SystemTime) -> bool {
        self.sweep.is_some_and(|sweep| {
            let incomplete =
                sweep.record.as_ref().is_ok_and(|record| record.state == RunState::Incomplete);
            let changed = sweep.path.metadata().and_then(|data| data.modified());
            let age = changed.ok().and_then(|at| now.duration_since(at).ok()).unwrap_or_default();
            incomplete && age < RESUMABLE
        })
    }

    /// Lists the sweep first, and then its runs. If the removal is interrupted, the remaining runs are ordinary runs
    /// that belong to no sweep.
    fn removed(&self) -> impl Iterator<Item = Removed> {
        let sweep = self.sweep.map(|sweep| Removed {
            id: sweep.id.clone(),
            path: sweep.path.clone(),
            bytes: sweep.path.metadata().map_or(0, |data| data.len()),
            is_sweep: true,
        });
        let run = |entry: &&Entry| Removed {
            id: entry.id().to_owned(),
            path: entry.path().to_owned(),
            bytes: size(entry.path()),
            is_sweep: false,
        };
        sweep.into_iter().chain(self.runs.iter().map(run).collect::<Vec<_>>())
    }
}

impl PrunePolicy {
    /// Returns true if a limit requires the removal of a unit. `place` is the number of newer untagged runs, and
    /// `total` is the size in bytes up to this unit.
    fn removes(&self, place: usize, started: SystemTime, total: u64) -> bool {
        let age = self.now.duration_since(started).unwrap_or_default();
        self.keep.is_some_and(|keep| place >= keep)
            || self.older_than.is_some_and(|limit| age > limit)
            || self.max_bytes.is_some_and(|limit| total > limit)
    }
}

/// Returns the run if it may be removed.
fn loose(entry: &Entry) -> Option<&Run> {
    match entry {
        Entry::Loaded(run) if run.record.tags.is_empty() && !run.running => Some(run),
        _ => None,
    }
}

/// Returns the total size of the readable files in a folder.
fn size(folder: &Path) -> u64 {
    let Ok(files) = fs::read_dir(folder) else { return 0 };
    files.flatten().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

/// Removes a run or a sweep. Renames a run's folder first, so that an interrupted removal leaves no partial run.
fn remove(removed: &Removed) -> Result<()> {
    let path = &removed.path;
    if removed.is_sweep {
        return fs::remove_file(path).map_err(failure::writing(path));
    }
    let hidden = path.with_file_name(format!("{REMOVING}{}", file_name(path)));
    // While this lock is held, another process that saves a tag or note cannot create the folder again.
    let _lock = EditLock::take(path)?;
    fs::rename(path, &hidden).map_err(failure::writing(path))?;
    fs::remove_dir_all(&hidden).map_err(failure::writing(&hidden))
}
