//! The TPROC-H benchmark. This module converts its dictionary keys for Tacho, and prints the output of its builds and
//! runs.

mod build;
mod lines;
mod request;
mod run;

use super::Repeat;
pub(super) use build::Gigabytes;
pub use request::{SCALE_FACTORS, StreamsPlan, build, gigabytes, scale, streams};
pub(super) use run::run;

/// A run of query streams, with everything needed for its output lines.
#[derive(Clone, Debug)]
pub struct StreamsTask {
    /// The requested run.
    pub plan: StreamsPlan,
    /// Prefix of the database.
    pub prefix: &'static str,
    /// Number of times to repeat the run, and the pause between repetitions.
    pub repeat: Repeat,
    /// Tags for the run records.
    pub tags: Vec<String>,
}
