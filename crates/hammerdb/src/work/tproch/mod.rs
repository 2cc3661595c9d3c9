//! TPROC-H: what its keys mean to us, and the lines of its builds and runs.

mod build;
mod lines;
mod request;
mod run;

use super::Repeat;
pub(super) use build::Gigabytes;
pub use request::{SCALE_FACTORS, StreamsPlan, build, gigabytes, scale, streams};
pub(super) use run::run;

/// A run of streams with all that its lines need.
#[derive(Clone, Debug)]
pub struct StreamsTask {
    /// What is asked for.
    pub plan: StreamsPlan,
    /// Prefix of the database.
    pub prefix: &'static str,
    /// How often the whole is done, and the pause in between.
    pub repeat: Repeat,
    /// Marks the records of the run.
    pub tags: Vec<String>,
}
