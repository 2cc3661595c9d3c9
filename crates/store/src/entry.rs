//! Reads the folder of a run.
//!
//! Reading must never panic, and even a damaged run must appear in the list. Start reading at [`Entry`].

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use tacho_core::{Error, ErrorKind, Result};

use crate::record::{FORMAT, Record, RunState, RunVerdict, VERSION};
use crate::seal::{self, Seal};
use crate::{failure, folder, lock, regular};

/// Number of bytes to read from the start of a histogram log in order to get its header.
const HEAD_BYTES: u64 = 1024;

/// A folder in the store.
#[derive(Debug)]
pub enum Entry {
    /// A run with a readable record.
    Loaded(Box<Run>),
    /// A run with an unreadable record.
    Broken(Broken),
}

/// A run with a readable record.
#[derive(Clone, Debug)]
pub struct Run {
    /// The run's record.
    pub record: Record,
    /// The run's folder.
    pub path: PathBuf,
    /// True while a process is writing the run.
    pub running: bool,
    /// The result of comparing the record with its checksum.
    pub seal: Seal,
}

/// A run with an unreadable record.
#[derive(Debug)]
pub struct Broken {
    /// The run's folder.
    pub path: PathBuf,
    /// The run's id, taken from the folder name.
    pub id: String,
    /// The error, with a hint on how to fix it.
    pub reason: Error,
}

impl Run {
    /// Verifies the checksums of the run's other files. The returned run is INVALID if any file has changed.
    pub fn verified(mut self) -> Self {
        if let Seal::Intact(checksums) = &self.seal
            && let Some(what) = seal::compare(&self.path, checksums)
        {
            seal::invalidate(&mut self.record, what);
            self.seal = Seal::Broken;
        }
        self
    }

    /// Reads the run's folder again. Returns `None` if it is gone or unreadable.
    pub fn again(&self) -> Option<Self> {
        match Entry::read(self.path.clone())? {
            Entry::Loaded(run) => Some(*run),
            Entry::Broken(_) => None,
        }
    }

    /// Returns `running`, `incomplete` (killed) or `complete`.
    pub fn state(&self) -> &'static str {
        match (self.record.state, self.running) {
            (RunState::Complete, _) => "complete",
            (RunState::Incomplete, true) => "running",
            (RunState::Incomplete, false) => "incomplete",
        }
    }
}

impl Entry {
    /// Returns the run's id.
    pub fn id(&self) -> &str {
        match self {
            Self::Loaded(run) => &run.record.id,
            Self::Broken(broken) => &broken.id,
        }
    }

    /// Returns the run's folder.
    pub fn path(&self) -> &Path {
        match self {
            Self::Loaded(run) => &run.path,
            Self::Broken(broken) => &broken.path,
        }
    }

    /// Returns the start of the run. If the record is broken, the start comes from another file or from the folder name
    /// (UTC).
    pub(crate) fn started(&self) -> SystemTime {
        let known = match self {
            Self::Loaded(run) => folder::started(&run.record.started_at).ok(),
            Self::Broken(broken) => from_files(&broken.path).or_else(|| from_name(&broken.path)),
        };
        known.unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Reads the folder of a run. Returns `None` if the run has no record yet, because it is still being created or was
    /// killed during its creation.
    pub(crate) fn read(path: PathBuf) -> Option<Self> {
        let record = load(&path).map(judged);
        let missing = record.as_ref().is_err_and(|error| error.kind() == ErrorKind::Missing);
        if missing && (lock::is_held(&path) || is_unfinished(&path)) {
            return None;
        }
        Some(match record {
            Ok((record, seal)) => {
                let running = record.state == RunState::Incomplete && lock::is_held(&path);
                Self::Loaded(Box::new(Run { record, path, running, seal }))
            }
            Err(reason) => {
                let id = folder::id(&file_name(&path)).to_owned();
                Self::Broken(Broken { path, id, reason })
            }
        })
    }
}

/// Returns true if `folder` contains only the files that a run creates before its record, and no process is still
/// creating the run.
pub(crate) fn is_unfinished(folder: &Path) -> bool {
    let intervals = folder.join(folder::INTERVALS).metadata().map_or(0, |file| file.len());
    let has_record = folder.join(folder::RECORD).exists();
    // Only folders with the name of a run, because others may belong to the user.
    let is_empty = || {
        from_name(folder).is_some()
            && folder.read_dir().is_ok_and(|mut entries| entries.next().is_none())
    };
    !has_record && intervals <= HEADER_MAX && (lock::has_remained(folder) || is_empty())
}

/// Maximum size of an interval file that contains only its header. A file with at least one interval is larger.
const HEADER_MAX: u64 = 128;

/// Reads the record from a folder as it was written, and verifies its checksum.
pub(crate) fn load(folder: &Path) -> Result<(Record, Seal)> {
    let path = folder.join(folder::RECORD);
    let text = regular::read(&path).map_err(failure::reading(&path)).map_err(|error| {
        if error.kind() == ErrorKind::Missing { error.hint(set_aside(folder)) } else { error }
    })?;
    let record = parse(&text).map_err(|error| {
        error.hint(set_aside(folder)).during(format!("read {}", path.display()))
    })?;
    // A record that contains a verdict was written with a checksum, so a missing checksum means
    // that the record was modified.
    let had_one = record.result.as_ref().is_some_and(|result| result.verdict.is_some());
    match seal::inspect(&text) {
        Seal::Absent if had_one => Ok((record, Seal::Broken)),
        seal => Ok((record, seal)),
    }
}

/// Adds a verdict to a record that was just read, if it has none. If the record was rebuilt or modified, the verdict is
/// INVALID.
pub(crate) fn judged((mut record, seal): (Record, Seal)) -> (Record, Seal) {
    if let Some(result) = record.result.as_mut().filter(|_| record.repaired) {
        result.valid = false;
        result.verdict = Some(RunVerdict::Invalid);
    }
    if let Some(result) = record.result.as_mut().filter(|result| result.verdict.is_none()) {
        result.judge(&record.plan);
    }
    if seal == Seal::Broken {
        seal::invalidate(&mut record, seal::changed(folder::RECORD));
    }
    (record, seal)
}

/// The fields that identify the format and the version. Every record has them.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

fn parse(text: &[u8]) -> Result<Record> {
    let damaged = |error: serde_json::Error| {
        Error::new(ErrorKind::Protocol, format!("the record is damaged: {error}"))
            .source(error)
            .hint("to rebuild the record from the run's intervals and histograms, use tacho runs repair RUN")
    };
    let head: Head = serde_json::from_slice(text).map_err(damaged)?;
    if head.format != FORMAT {
        let message = format!("not a run record: its format is \"{}\"", head.format);
        return Err(Error::new(ErrorKind::Protocol, message));
    }
    if head.version > VERSION {
        let message = format!(
            "the record was written by a newer version of Tacho (format version {}, this version \
             reads up to {VERSION})",
            head.version
        );
        return Err(Error::new(ErrorKind::Unsupported, message)
            .hint("use the version of Tacho that created the run, or a newer one"));
    }
    serde_json::from_slice(text).map_err(damaged)
}

fn set_aside(folder: &Path) -> String {
    format!("remove the folder {} if you no longer need the run", folder.display())
}

/// Returns the run's start time from the header of its histogram log.
pub(crate) fn from_files(path: &Path) -> Option<SystemTime> {
    let mut head = Vec::new();
    let log = regular::open(&path.join(folder::HISTOGRAMS)).ok()?;
    log.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let start = head.lines().find_map(|line| line.strip_prefix("#[StartTime: "))?;
    let seconds: f64 = start.split(' ').next()?.parse().ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(seconds).ok()?)
}

pub(crate) fn from_name(path: &Path) -> Option<SystemTime> {
    let name = file_name(path);
    let time = DateTime::strptime("%Y-%m-%dT%H-%M-%S", name.get(..19)?).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().into())
}

/// Returns the last component of a path.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
