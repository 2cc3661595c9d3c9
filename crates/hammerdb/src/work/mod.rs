//! Long-running work: builds, checks, deletions and runs. Each has its own thread.
//!
//! The use cases in `tacho_app` do the actual work. This module converts their events to HammerDB's output lines and
//! sends these lines to a console.
//!
//! Start reading at [`Work`].

mod absent;
mod build;
mod custom;
mod data;
mod echo;
#[cfg(test)]
mod every_key;
mod files;
mod packages;
mod phrases;
mod pool;
mod products;
mod repeat;
pub mod request;
mod run;
mod story;
mod target;
mod theirs;
mod timing;
pub mod tproch;
mod transcript;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tacho_app::{Context, Job};
use tacho_config::{Source, resolve};
use tacho_core::Result;
use tacho_engine::Interrupt;

pub use absent::explained;
pub use custom::CustomTask;
pub use files::FilesTask;
pub use phrases::words;
pub use products::{has_aliases, server, tablespace_key};
pub use repeat::Repeat;
pub use target::{database_name, socket};
pub use timing::{Timing, ruler, timings, user_timings};
use tproch::StreamsTask;
use transcript::Transcript;
pub use transcript::{Event, State};

use crate::dictionary::Benchmark;
use request::{BuildPlan, Flags, RunPlan};

/// The text with which a request is rejected. The first line states the problem, and all other lines explain it.
pub type Refusal = String;

/// Work that takes time.
#[derive(Clone, Debug)]
pub enum Task {
    /// `buildschema`
    Build(BuildPlan, Names),
    /// `checkschema`
    Check(Flags, Names),
    /// `deleteschema`
    Delete(Flags, Names),
    /// `datagenrun`
    Files(Box<FilesTask>),
    /// `vurun`
    Run(Box<RunTask>),
    /// `vurun` of a custom script
    Custom(Box<CustomTask>),
    /// `vurun` of TPROC-H
    Streams(Box<StreamsTask>),
}

/// Properties of a schema that are mentioned in the output of its build.
#[derive(Clone, Debug)]
pub struct Names {
    /// Benchmark of the schema.
    pub benchmark: Benchmark,
    /// Prefix of the database.
    pub prefix: &'static str,
    /// Database that contains the schema.
    pub database: String,
    /// Owner of the schema.
    pub user: String,
    /// Number of warehouses or gigabytes, as set in the dictionary.
    pub size: String,
    /// True if stored procedures are requested.
    pub procedures: bool,
    /// The dictionary keys for sizes and storage options. Each is stored with the corresponding parameter of Tacho.
    pub keys: Vec<(&'static str, String)>,
}

impl Names {
    /// Returns the name that a build's output uses for the schema. On PostgreSQL, it is the name of the owner.
    fn schema(&self) -> String {
        let name = if self.prefix == "pg" { &self.user } else { &self.database };
        name.to_uppercase()
    }
}

/// A run, with everything needed for its output lines.
#[derive(Clone, Debug)]
pub struct RunTask {
    /// The requested run.
    pub plan: RunPlan,
    /// The database's name in the result line.
    pub result_name: &'static str,
    /// Length of a minute in the script.
    pub minute: Duration,
    /// The number of repetitions of the run, and the pause between two of them.
    pub repeat: Repeat,
    /// Tags for the run records.
    pub tags: Vec<String>,
    /// File to which the time profile is written.
    pub profile_file: PathBuf,
}

/// Work in progress.
pub struct Work {
    /// Events of the work.
    pub events: Receiver<Event>,
    interrupt: Interrupt,
    thread: Option<JoinHandle<()>>,
}

impl Work {
    /// Starts the work.
    pub fn start(task: Task, context: &Context) -> Self {
        let interrupt = Interrupt::default();
        let context = Context { interrupt: interrupt.clone(), ..context.clone() };
        let (say, events) = channel();
        let transcript = Transcript::new(say);
        let thread = std::thread::spawn(move || {
            let exit = match &task {
                Task::Build(plan, names) => build::build(plan, names, &context, &transcript),
                Task::Check(flags, names) => data::check(flags, names, &context, &transcript),
                Task::Delete(flags, names) => data::delete(flags, names, &context, &transcript),
                Task::Run(task) => run::run(task, &context, &transcript),
                Task::Files(task) => files::write(task, &context, &transcript),
                Task::Custom(task) => custom::run(task, &context, &transcript),
                Task::Streams(task) => tproch::run(task, &context, &transcript),
            };
            transcript.over(exit);
        });
        Self { events, interrupt, thread: Some(thread) }
    }

    /// Requests a stop. The first call stops the work gracefully, and the second one stops it immediately.
    pub fn stop(&self) {
        self.interrupt.press();
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Interrupt twice, because the second interrupt stops the work immediately. The thread then ends soon.
            if !thread.is_finished() {
                self.interrupt.press();
                self.interrupt.press();
            }
            let _ = thread.join();
        }
    }
}

/// Returns the job for the given settings. Settings files and environment variables are ignored, because a script
/// specifies everything itself.
pub fn job(flags: Flags, context: &Context) -> Result<Job> {
    Job::new(resolve(Source { flags, ..Source::default() })?, context)
}
