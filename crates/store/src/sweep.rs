//! The record of a sweep, which names the run that measured each value.
//!
//! The record is rewritten after every run, so that a sweep can be resumed.
//!
//! Start reading at [`SweepRecord`] and [`SweepStore`].

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::{Error, ErrorKind, Result, Seed, nearest};

use crate::latest::back_from_latest;
use crate::lock::{Claim, EditLock};
use crate::record::RunState;
use crate::seal::{self, Seal};
use crate::{atomic, failure, folder, id, regular};

/// The value of the `format` field in a sweep record.
pub const FORMAT: &str = "tacho-sweep";
/// The record version that this build writes.
pub const VERSION: u32 = 2;
/// The key of the setting that turns a sweep into a search for the highest rate.
pub const FIND_MAX: &str = "find_max";
/// Number of characters in a date that is precise to the second, such as `2026-03-02T10:14:05`.
const SECOND_CHARS: usize = 19;

/// A sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepRecord {
    /// Always `tacho-sweep`.
    pub format: String,
    /// Version of the record format.
    pub version: u32,
    /// Identifier. Commands accept any unique prefix.
    pub id: String,
    /// Progress of the sweep.
    pub state: RunState,
    /// Start of the sweep in RFC 3339 format, with the UTC offset.
    pub started_at: String,
    /// Version of Tacho.
    pub tool_version: String,
    /// Workload name.
    pub workload: String,
    /// Name of the target.
    pub target_name: String,
    /// The settings that apply to every run, by key, as specified by the user.
    pub settings: Vec<(String, Vec<String>)>,
    /// The settings that vary, in column order.
    pub vary: Vec<Varied>,
    /// The runs, in measurement order.
    pub points: Vec<Point>,
    /// The highest rate at which a threshold is met; present only if the sweep searched for it.
    #[serde(default)]
    pub found: Option<Found>,
    /// The highest rate for each combination of other settings, if a search
    /// varies other settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_for: Vec<FoundFor>,
    /// The parameters of the calibration, if the sweep starts by comparing identical runs with one
    /// another.
    #[serde(default)]
    pub calibration: Option<CalibrationRecord>,
}

/// The parameters of an A/A calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationRecord {
    /// The relative change that the calibration must be able to detect, if the user specified one.
    pub wanted: Option<f64>,
    /// The metric whose change must be detectable. Throughput by default, or the p95 latency at a fixed rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
}

/// A setting that varies in a sweep, along with its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Varied {
    /// Key of the setting, such as `sessions`.
    pub key: String,
    /// Values of the setting. Empty if a search chooses them.
    pub values: Vec<String>,
}

/// A run of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The value of each varied setting, in the order of `vary`.
    pub values: Vec<String>,
    /// Number of the repetition among the runs with the same values, starting at 1.
    pub repetition: u32,
    /// In a calibration, the side to which the run belongs (1 or 2). All runs of both sides use the same values, namely
    /// the first combination.
    #[serde(default)]
    pub equal_side: Option<u32>,
    /// True if the run has 60 % of the highest rate that a search found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub headroom: bool,
    /// The outcome of the point.
    pub outcome: Outcome,
    /// Id of the run that measured the point.
    pub run: Option<String>,
    /// The reason why there is no run.
    pub error: Option<String>,
}

/// The outcome of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The point has not been measured yet.
    Pending,
    /// The point has been measured.
    Measured,
    /// The run could not be started.
    Failed,
    /// The point was skipped because the peak had already been passed, or because a search chose more sessions than the
    /// server accepts. Only in the second case is there an error.
    Skipped,
}

/// The result of a search for the highest rate that meets a threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// The threshold as specified by the user.
    pub limit: String,
    /// The highest rate that met the threshold. If there is an `interval`, the threshold is met in 95 % of the
    /// measurement windows at this rate.
    pub holds_at_per_s: Option<f64>,
    /// The lowest rate at which the threshold was not met; absent if it was always met.
    pub fails_at_per_s: Option<f64>,
    /// Confidence interval of the highest rate. Absent if the rates were steps of a single run, or if the threshold was
    /// met at all rates or at none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<RateInterval>,
    /// True if the rates are steps of a single run, each measured once; false if each rate has a separate run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_steps: bool,
}

/// The result of a search with fixed values of other settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoundFor {
    /// The values of the other settings, in the order of `vary`.
    pub values: Vec<String>,
    /// The result.
    pub found: Found,
}

/// The 95 % confidence interval of a highest rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateInterval {
    /// Lower end, in transactions per second.
    pub low_per_s: f64,
    /// Upper end.
    pub high_per_s: f64,
    /// Number of runs at a fixed rate. Each of them counts as a measurement window.
    pub windows: u32,
    /// Number of windows in which the threshold was met.
    pub held: u32,
}

/// A sweep file.
#[derive(Debug)]
pub struct SweepEntry {
    /// The sweep's id, taken from the file name.
    pub id: String,
    /// Path of the file.
    pub path: PathBuf,
    /// The sweep, or the error that prevented it from being read.
    pub record: Result<SweepRecord>,
}

impl SweepRecord {
    /// Returns the ids of the runs that measured the points.
    pub fn runs(&self) -> impl Iterator<Item = &str> {
        self.points.iter().filter_map(|point| point.run.as_deref())
    }

    /// Returns the threshold for which a search finds the highest rate, or `None` if the sweep is not a search.
    pub fn searched(&self) -> Option<&str> {
        let (_, values) = self.settings.iter().find(|(key, _)| key == FIND_MAX)?;
        values.first().map(String::as_str)
    }

    /// Returns the result of each search, along with the values of other settings.
    pub fn searches(&self) -> impl Iterator<Item = (&[String], &Found)> {
        let alone = self.found.iter().map(|found| (&[][..], found));
        alone.chain(self.found_for.iter().map(|one| (&one.values[..], &one.found)))
    }

    /// Returns the number of settings that distinguish a sweep's searches.
    /// The settings that distinguish searches come first in `vary`, before the settings whose values a search chooses.
    pub fn fixed(&self) -> usize {
        self.vary.iter().take_while(|varied| !varied.values.is_empty()).count()
    }

    /// Returns true if a search chooses the number of sessions.
    pub fn chooses_sessions(&self) -> bool {
        self.vary.iter().any(|varied| varied.key == "sessions" && varied.values.is_empty())
    }

    /// Returns true if any point failed, so that resuming the sweep repeats it.
    pub fn has_failed_points(&self) -> bool {
        self.points.iter().any(|point| point.outcome == Outcome::Failed)
    }

    /// Returns the sweep's state after the last point. A sweep with failed points is not complete.
    pub fn state_at_end(&self) -> RunState {
        if self.has_failed_points() { RunState::Incomplete } else { RunState::Complete }
    }
}

/// All sweeps below a root folder.
#[derive(Clone, Debug)]
pub struct SweepStore {
    sweeps: PathBuf,
}

impl SweepStore {
    /// Opens the sweeps below `root` without accessing any files.
    pub fn open(root: &Path) -> Self {
        Self { sweeps: root.join("sweeps") }
    }

    /// Returns the folder that contains the sweep files.
    pub fn folder(&self) -> &Path {
        &self.sweeps
    }

    /// Assigns an id to a sweep and writes its record for the first time.
    pub fn create(&self, mut record: SweepRecord, id_seed: Seed) -> Result<SweepRecord> {
        folder::started(&record.started_at)?;
        fs::create_dir_all(&self.sweeps).map_err(failure::writing(&self.sweeps))?;
        let _lock = EditLock::take(&self.sweeps)?;
        let taken: HashSet<String> = self.files()?.iter().map(|path| file_id(path)).collect();
        record.id = id::draw(id_seed.child("sweep"), &taken);
        self.save(&record)?;
        Ok(record)
    }

    /// Writes the complete record of a sweep.
    pub fn save(&self, record: &SweepRecord) -> Result<()> {
        atomic::replace(&self.path(record), &seal::sealed(record, BTreeMap::new())?)
    }

    /// Claims a sweep for the process that will measure it.
    ///
    /// # Errors
    /// Returns a usage error if another process is already measuring the sweep.
    pub fn claim(&self, record: &SweepRecord) -> Result<Claim> {
        Claim::take(&self.path(record))?.ok_or_else(|| {
            Error::usage(format!("another process is measuring sweep {}", record.id))
                .hint("wait until it has finished; use tacho watch to follow its runs")
        })
    }

    /// Removes a sweep but keeps its runs.
    pub fn remove(&self, record: &SweepRecord) -> Result<()> {
        let path = self.path(record);
        fs::remove_file(&path).map_err(failure::writing(&path))
    }

    /// Returns the path of a sweep's file.
    pub fn path(&self, record: &SweepRecord) -> PathBuf {
        let time: String =
            record.started_at.chars().take(SECOND_CHARS).map(|c| folder::plain(c, '-')).collect();
        let (workload, target) =
            (folder::part(&record.workload), folder::part(&record.target_name));
        self.sweeps.join(format!("{time}-{workload}-{target}-{}.json", record.id))
    }

    /// Returns all sweeps, the newest first. Includes damaged sweeps.
    pub fn list(&self) -> Result<Vec<SweepEntry>> {
        let files = by_time(self.files()?).into_iter().rev();
        let entry = |path: PathBuf| SweepEntry { id: file_id(&path), record: read(&path), path };
        Ok(files.map(entry).collect())
    }

    /// Returns the sweep identified by `selector`: `latest`, `latest~N`, an id, or a unique id prefix.
    pub fn find(&self, selector: &str) -> Result<SweepRecord> {
        let files = self.files()?;
        if files.is_empty() {
            return Err(Error::usage("no sweeps yet").hint("to create a sweep, use tacho sweep"));
        }
        if let Some(back) = back_from_latest(selector)? {
            let count = files.len();
            let path = by_time(files).into_iter().rev().nth(back);
            return path.map_or_else(|| Err(too_few(selector, count)), |path| read(&path));
        }
        let fitting: Vec<&PathBuf> =
            files.iter().filter(|path| file_id(path).starts_with(selector)).collect();
        if let [path] = fitting[..] {
            return read(path);
        }
        let ids: Vec<String> = files.iter().map(|path| file_id(path)).collect();
        let near = nearest(selector, ids.iter().map(String::as_str)).join(", ");
        Err(Error::usage(format!("\"{selector}\" does not match exactly one sweep"))
            .hint(format!("the nearest ids: {near}")))
    }

    /// Returns the files sorted by name. Names start with the date, to the second.
    fn files(&self) -> Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.sweeps) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failure::reading(&self.sweeps))?,
        };
        let paths: io::Result<Vec<PathBuf>> =
            entries.map(|entry| entry.map(|entry| entry.path())).collect();
        let mut paths = paths.map_err(failure::reading(&self.sweeps))?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        Ok(paths)
    }
}

/// Sorts sweep files, oldest first. The start of a damaged sweep is known only to the second.
fn by_time(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    let second = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.chars().take(SECOND_CHARS).collect::<String>()
    };
    files.sort_by_cached_key(|path| (second(path), date(path)));
    files
}

/// Returns the start date that a sweep's file contains, including milliseconds.
fn date(path: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Begun {
        started_at: String,
    }
    let begun: Begun = serde_json::from_slice(&regular::read(path).ok()?).ok()?;
    Some(begun.started_at)
}

fn too_few(selector: &str, count: usize) -> Error {
    Error::usage(format!("sweep \"{selector}\" not found: the number of sweeps is {count}"))
        .hint("use sweep:latest for the newest sweep, or specify an id")
}

fn file_id(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    folder::id(&name).to_owned()
}

pub(crate) fn read(path: &Path) -> Result<SweepRecord> {
    let text = regular::read(path).map_err(failure::reading(path))?;
    let record: SweepRecord = serde_json::from_slice(&text).map_err(|error| {
        Error::new(ErrorKind::Protocol, format!("{} is damaged: {error}", path.display()))
            .hint("restore the file from a copy, or remove it")
    })?;
    if record.format != FORMAT || record.version > VERSION {
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!("{} was written by a newer version of Tacho", path.display()),
        )
        .hint("use that version, or a newer one"));
    }
    // The id in the record determines which file is rewritten, so it must match the name of this file.
    if record.id != file_id(path) || !folder::is_plain(&record.id) {
        let text = format!("{} contains a sweep with a different id", path.display());
        return Err(Error::new(ErrorKind::Protocol, text)
            .hint("restore the file from a copy, or remove it"));
    }
    if seal::inspect(&text) == Seal::Broken {
        let text = seal::changed(&path.display().to_string());
        return Err(Error::new(ErrorKind::Protocol, text)
            .hint("restore the file from a copy; the runs of its points are not affected"));
    }
    Ok(record)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test damages a file")]
mod tests {
    use super::*;

    fn record() -> SweepRecord {
        SweepRecord {
            format: FORMAT.into(),
            version: VERSION,
            id: String::new(),
            state: RunState::Incomplete,
            started_at: "2026-03-02T10:14:05+01:00".into(),
            tool_version: "0.1.0".into(),
            workload: "tprocc".into(),
            target_name: "a/b".into(),
            settings: vec![("duration".into(), vec!["3s".into()])],
            vary: vec![Varied { key: "sessions".into(), values: vec!["1".into(), "2".into()] }],
            points: Vec::new(),
            found: None,
            found_for: Vec::new(),
            calibration: None,
        }
    }

    #[test]
    fn sweeps_are_found_and_damage_is_reported() -> Result<()> {
        let root = tempfile::tempdir()?;
        let store = SweepStore::open(root.path());
        assert!(store.find("latest").is_err());
        let first = store.create(record(), Seed(1))?;
        let later = SweepRecord { started_at: "2026-03-02T10:15:05+01:00".into(), ..record() };
        let mut later = store.create(later, Seed(2))?;
        later.state = RunState::Complete;
        store.save(&later)?;
        assert_eq!(store.find("latest")?, later);
        assert_eq!(store.find(&first.id)?, first);
        assert_eq!(store.find("latest~1")?, first);
        let none = store.find("latest~2").expect_err("there are two");
        assert!(none.to_string().contains("the number of sweeps is 2"), "{none}");
        assert!(store.find("zzzzz").is_err());
        // Ids are random. It is very unlikely that ten of them happen to be in the right order.
        let within: Vec<SweepRecord> = (0..10)
            .map(|n| {
                let started_at = format!("2026-03-02T10:14:05.{}00+01:00", 9 - n);
                store.create(SweepRecord { started_at, ..record() }, Seed(3 + n))
            })
            .collect::<Result<_>>()?;
        for (n, expected) in within.iter().enumerate() {
            assert_eq!(&store.find(&format!("latest~{}", n + 1))?, expected);
        }
        let text = fs::read_to_string(store.path(&later))?;
        fs::write(store.path(&later), text.replace("\"tprocc\"", "\"tproch\""))?;
        let changed = store.find("latest").expect_err("changed");
        assert!(changed.to_string().contains("checksum does not match"), "{changed}");
        fs::write(store.path(&later), "{")?;
        assert!(store.find("latest").expect_err("damaged").to_string().contains("damaged"));
        Ok(())
    }
}
