//! What a run's folder holds, read as far as it can be read.
//!
//! It must never panic, and never hide a run because it or another one is damaged.
//! Start reading at [`Entry`].

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use tacho_core::{Error, ErrorKind, Result};

use crate::record::{FORMAT, Record, State, VERSION};
use crate::{failure, folder, lock, regular};

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
    /// `running`, `incomplete` (killed) or `complete`.
    pub fn state(&self) -> &'static str {
        match (self.record.state, self.running) {
            (State::Complete, _) => "complete",
            (State::Incomplete, true) => "running",
            (State::Incomplete, false) => "incomplete",
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

    /// When the run began; of a broken one what its folder's name says, read as UTC.
    pub(crate) fn started(&self) -> SystemTime {
        let known = match self {
            Self::Loaded(run) => folder::started(&run.record.started_at).ok(),
            Self::Broken(broken) => from_name(&broken.path),
        };
        known.unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Reads a folder; `None` if its run is only just being created.
    pub(crate) fn read(path: PathBuf) -> Option<Self> {
        let record = load(&path);
        let missing = record.as_ref().is_err_and(|error| error.kind() == ErrorKind::Missing);
        if missing && lock::is_held(&path) {
            return None;
        }
        Some(match record {
            Ok(record) => {
                let running = record.state == State::Incomplete && lock::is_held(&path);
                Self::Loaded(Box::new(Run { record, path, running }))
            }
            Err(reason) => {
                let id = folder::id(&file_name(&path)).to_owned();
                Self::Broken(Broken { path, id, reason })
            }
        })
    }
}

/// Reads the record in a folder.
pub(crate) fn load(folder: &Path) -> Result<Record> {
    let path = folder.join(folder::RECORD);
    let text = regular::read(&path).map_err(failure::reading(&path)).map_err(|error| {
        if error.kind() == ErrorKind::Missing { error.hint(set_aside(folder)) } else { error }
    })?;
    parse(&text)
        .map_err(|error| error.hint(set_aside(folder)).during(format!("read {}", path.display())))
}

/// What tells formats and versions apart, whatever else a record holds.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

fn parse(text: &[u8]) -> Result<Record> {
    let damaged = |error: serde_json::Error| {
        Error::new(ErrorKind::Protocol, format!("the record is damaged: {error}")).source(error)
    };
    let head: Head = serde_json::from_slice(text).map_err(damaged)?;
    if head.format != FORMAT {
        let message = format!("this is no record of a run, its format is \"{}\"", head.format);
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

fn from_name(path: &Path) -> Option<SystemTime> {
    let name = file_name(path);
    let time = DateTime::strptime("%Y-%m-%dT%H-%M-%S", name.get(..19)?).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().into())
}

/// The last part of a path.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
