//! What takes time: builds, checks, removals and runs, each on a thread of its own.
//!
//! Everything goes through the use cases of `tacho_app`; what they tell becomes the lines that
//! parsers of HammerDB's output look for. It must never print: it tells a console. Start reading
//! at [`Work`].

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

/// Why something is not done. The first line says what, further ones say more.
pub type Refusal = String;

/// Something that takes time.
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

/// How things are called in the lines of a build.
#[derive(Clone, Debug)]
pub struct Names {
    /// Which benchmark the schema is of.
    pub benchmark: Benchmark,
    /// Prefix of the database.
    pub prefix: &'static str,
    /// The database that the schema lies in.
    pub database: String,
    /// Who owns it.
    pub user: String,
    /// Warehouses that the dictionary says, or gigabytes.
    pub size: String,
    /// Whether procedures are asked for.
    pub procedures: bool,
    /// The keys of the dictionary that set the size and the storage of the tables, by our parameters.
    pub keys: Vec<(&'static str, String)>,
}

impl Names {
    /// The name of the schema in the lines of a build: on some databases its owner's.
    fn schema(&self) -> String {
        let name = if self.prefix == "pg" { &self.user } else { &self.database };
        name.to_uppercase()
    }
}

/// A run with all that its lines need.
#[derive(Clone, Debug)]
pub struct RunTask {
    /// What is asked for.
    pub plan: RunPlan,
    /// The name of the database in the result.
    pub result_name: &'static str,
    /// How long a minute of the script lasts.
    pub minute: Duration,
    /// How often the whole is done, and the pause in between.
    pub repeat: Repeat,
    /// Marks the records of the run.
    pub tags: Vec<String>,
    /// Where a time profile is written.
    pub profile_file: PathBuf,
}

/// Work that is running.
pub struct Work {
    /// What it tells.
    pub events: Receiver<Event>,
    interrupt: Interrupt,
    thread: Option<JoinHandle<()>>,
}

impl Work {
    /// Begins.
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

    /// Asks it to stop: the first time in good order, the second time at once.
    pub fn stop(&self) {
        self.interrupt.press();
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // On the second interrupt a run stops at once, so that the wait is short.
            if !thread.is_finished() {
                self.interrupt.press();
                self.interrupt.press();
            }
            let _ = thread.join();
        }
    }
}

/// The job that settings ask for. The settings file and variables have no part in it: a script
/// says all.
pub fn job(flags: Flags, context: &Context) -> Result<Job> {
    Job::new(resolve(Source { flags, ..Source::default() })?, context)
}
