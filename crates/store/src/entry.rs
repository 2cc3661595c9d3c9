//! What a run's folder holds, read as far as it can be read.
//!
//! It must never panic, and never hide a run because it or another one is damaged.
//! Start reading at [`Entry`].

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

/// Bytes of a histogram log that hold its header.
const HEAD_BYTES: u64 = 1024;

/// One folder of the store.
#[derive(Debug)]
pub enum Entry {
    /// Its record could be read.
    Loaded(Box<Run>),
    /// It could not.
    Broken(Broken),
}

/// A run whose record could be read.
#[derive(Clone, Debug)]
pub struct Run {
    /// The record.
    pub record: Record,
    /// The folder.
    pub path: PathBuf,
    /// Whether a process is writing it now.
    pub running: bool,
    /// What the checksums of the record say.
    pub seal: Seal,
}

/// A run whose record could not be read.
#[derive(Debug)]
pub struct Broken {
    /// The folder.
    pub path: PathBuf,
    /// The id, from the folder's name.
    pub id: String,
    /// Why, and what to do.
    pub reason: Error,
}

impl Run {
    /// Compares the other files of the run with their checksums too. A run with a file that is not as it
    /// was written is INVALID from here on.
    pub fn verified(mut self) -> Self {
        if let Seal::Intact(checksums) = &self.seal
            && let Some(what) = seal::compare(&self.path, checksums)
        {
            seal::invalidate(&mut self.record, what);
            self.seal = Seal::Broken;
        }
        self
    }

    /// The same run as its folder has it now; `None` if it is gone or cannot be read.
    pub fn again(&self) -> Option<Self> {
        match Entry::read(self.path.clone())? {
            Entry::Loaded(run) => Some(*run),
            Entry::Broken(_) => None,
        }
    }

    /// `running`, `incomplete` (killed) or `complete`.
    pub fn state(&self) -> &'static str {
        match (self.record.state, self.running) {
            (RunState::Complete, _) => "complete",
            (RunState::Incomplete, true) => "running",
            (RunState::Incomplete, false) => "incomplete",
        }
    }
}

impl Entry {
    /// The run's id.
    pub fn id(&self) -> &str {
        match self {
            Self::Loaded(run) => &run.record.id,
            Self::Broken(broken) => &broken.id,
        }
    }

    /// The run's folder.
    pub fn path(&self) -> &Path {
        match self {
            Self::Loaded(run) => &run.path,
            Self::Broken(broken) => &broken.path,
        }
    }

    /// When the run began; of a broken one what its other files say, or at least its folder's name, read
    /// as UTC.
    pub(crate) fn started(&self) -> SystemTime {
        let known = match self {
            Self::Loaded(run) => folder::started(&run.record.started_at).ok(),
            Self::Broken(broken) => from_files(&broken.path).or_else(|| from_name(&broken.path)),
        };
        known.unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Reads a folder; `None` if its run is only just being created.
    pub(crate) fn read(path: PathBuf) -> Option<Self> {
        let record = load(&path).map(judged);
        let missing = record.as_ref().is_err_and(|error| error.kind() == ErrorKind::Missing);
        if missing && lock::is_held(&path) {
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

/// Reads the record in a folder as it was written, with what its checksum says.
pub(crate) fn load(folder: &Path) -> Result<(Record, Seal)> {
    let path = folder.join(folder::RECORD);
    let text = regular::read(&path).map_err(failure::reading(&path)).map_err(|error| {
        if error.kind() == ErrorKind::Missing { error.hint(set_aside(folder)) } else { error }
    })?;
    let record = parse(&text).map_err(|error| {
        error.hint(set_aside(folder)).during(format!("read {}", path.display()))
    })?;
    // Records with a verdict have had a checksum from the start.
    let had_one = record.result.as_ref().is_some_and(|result| result.verdict.is_some());
    match seal::inspect(&text) {
        Seal::Absent if had_one => Ok((record, Seal::Broken)),
        seal => Ok((record, seal)),
    }
}

/// Gives a record the verdict that it has not, or that it no longer deserves.
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

/// What tells formats and versions apart, whatever else a record holds.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

fn parse(text: &[u8]) -> Result<Record> {
    let damaged = |error: serde_json::Error| {
        Error::new(ErrorKind::Protocol, format!("the record is damaged: {error}"))
            .source(error)
            .hint("tacho runs repair RUN rebuilds it from the run's intervals and histograms")
    };
    let head: Head = serde_json::from_slice(text).map_err(damaged)?;
    if head.format != FORMAT {
        let message = format!("not a record of a run: its format is \"{}\"", head.format);
        return Err(Error::new(ErrorKind::Protocol, message));
    }
    if head.version > VERSION {
        let message = format!(
            "the record was written by a newer version of tacho (format version {}, this one reads \
             up to {VERSION})",
            head.version
        );
        return Err(Error::new(ErrorKind::Unsupported, message)
            .hint("read it with the version of tacho that made the run, or a newer one"));
    }
    serde_json::from_slice(text).map_err(damaged)
}

fn set_aside(folder: &Path) -> String {
    format!("if it is of no use, remove the folder {}", folder.display())
}

/// The start of the run as the header of its histograms says it.
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

/// The last part of a path.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
