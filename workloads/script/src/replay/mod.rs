//! Replays a statement log: sends everything that a server received, in the same sessions and with the same timing.
//!
//! The replay must never change a statement. It counts the statements that it cannot send.
//!
//! Start reading at [`read`]. `format.rs` lists the formats, `reader.rs` finds records in a file, `scan.rs` assembles
//! sessions, and `client.rs` sends their statements.

mod client;
mod clock;
mod csvlog;
mod event;
mod format;
mod general;
mod groups;
mod instance;
mod jsonlog;
mod lines;
mod messages;
mod normal;
mod prefix;
mod prepared;
mod reader;
mod scan;
mod slow;
mod textlog;
mod times;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tacho_core::{Error, Parameter, ParameterKind, Result};
use tacho_driver::{Catalog, Dialect, Form};
use tacho_workload::{Choices, Instance, Manifest, Options, Profile, Recorded, Workload};

use crate::vm::source::keep;
use instance::Chosen;
use scan::{Log, scan};

/// Prefix of the names of replay workloads.
pub const PREFIX: &str = "replay:";

/// Name of the transaction that ends a session.
const END: &str = "end_of_session";

/// Hint that says how to create the tables.
const TABLES: &str = "restore the data to its state at the start of the log";

static PROFILES: [Profile; 1] = [Profile::new("default", "the log as written", &[])];

#[rustfmt::skip]
static PARAMETERS: [Parameter; 3] = [
    Parameter::new("speed", ParameterKind::Text, "1",
        "speed relative to the log: a number such as 2 or 0.5, or max to replay without waiting"),
    Parameter::new("database", ParameterKind::Text, "",
        "database whose statements to replay; required if the log contains several databases"),
    Parameter::new("prefix", ParameterKind::Text, "",
        "the server's log_line_prefix, for PostgreSQL text logs; common prefixes are recognised"),
];

/// A log specified by the user. Its contents are cached, together with the database and the prefix with which they were
/// last read.
struct Replay {
    manifest: &'static Manifest,
    word: &'static str,
    path: PathBuf,
    read: Mutex<Option<([String; 2], Arc<Log>)>>,
}

/// Returns the workload for `replay:FILE`.
///
/// # Errors
/// Returns a usage error if the file is not a readable log.
pub fn read(word: &str) -> Result<Arc<dyn Workload>> {
    let path = PathBuf::from(word.strip_prefix(PREFIX).unwrap_or(word));
    if path.as_os_str().is_empty() {
        return Err(Error::usage("no file specified")
            .hint("specify a log as replay:FILE, as in replay:postgresql.csv"));
    }
    // Report a file that is not a readable log now, before anything else is done.
    format::check(&path)?;
    Ok(of(keep(word.to_owned()), keep(format!("Replay of {}", path.display())), path))
}

/// Returns a replay without a log file, which serves to describe replays in general.
pub fn family() -> Arc<dyn Workload> {
    of("replay", "Replay of a log: replay:FILE", PathBuf::new())
}

fn of(word: &'static str, title: &'static str, path: PathBuf) -> Arc<dyn Workload> {
    let manifest = Manifest {
        id: "replay",
        title,
        scale_unit: "log",
        scale_steps: 1,
        scale_max: 1,
        version: 1,
        notice: "Statements replayed from a log; the results apply only to these statements.",
        docs: include_str!("../../replay.md"),
    };
    let manifest = Box::leak(Box::new(manifest));
    Arc::new(Replay { manifest, word, path, read: Mutex::default() })
}

/// Parses the replay's speed factor. Returns `None` if the replay does not wait.
fn speed(text: &str) -> Result<Option<f64>> {
    if text == "max" {
        return Ok(None);
    }
    let factor = text.strip_prefix('x').unwrap_or(text).parse::<f64>().ok();
    let factor = factor.filter(|factor| (0.001..=1e6).contains(factor));
    factor.map(Some).ok_or_else(|| {
        Error::usage(format!(
            "invalid speed \"{text}\": expected a number from 0.001 to 1000000, or max"
        ))
        .hint("to replay in half the time, use --set speed=2")
    })
}

impl Replay {
    /// Returns the log with the statements of one database. The log is read only once.
    fn log(
        &self,
        options: &Options,
        progress: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Arc<Log>> {
        let wanted = [options.text("database"), options.text("prefix")].map(str::to_owned);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, log)) = &*read
            && *known == wanted
        {
            return Ok(Arc::clone(log));
        }
        let [database, prefix] = &wanted;
        let log = Arc::new(scan(&self.path, database, prefix, progress)?);
        *read = Some((wanted, Arc::clone(&log)));
        Ok(log)
    }
}

impl Workload for Replay {
    fn manifest(&self) -> &'static Manifest {
        self.manifest
    }

    fn parameters(&self) -> &'static [Parameter] {
        &PARAMETERS
    }

    fn profiles(&self) -> &'static [Profile] {
        &PROFILES
    }

    fn word(&self) -> &str {
        self.word
    }

    fn without_data(&self) -> Option<&'static str> {
        Some(TABLES)
    }

    fn only_form(&self) -> Option<Form> {
        Some(Form::Simple)
    }

    fn read_log(
        &self,
        choices: &Choices,
        progress: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Option<Recorded>> {
        let options = Options::resolve(&PARAMETERS, &PROFILES, &choices.profile, &choices.set)?;
        speed(options.text("speed"))?;
        self.log(&options, progress)?;
        Ok(self.instance(choices)?.recorded())
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog> {
        instance::catalog(dialect)
    }

    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>> {
        let options = Options::resolve(&PARAMETERS, &PROFILES, &choices.profile, &choices.set)?;
        self.manifest.require_scale(choices.scale)?;
        let speed = speed(options.text("speed"))?;
        let log = self.log(&options, &mut |_, _| true)?;
        Ok(Arc::new(Chosen::new(log, speed, options)))
    }
}
