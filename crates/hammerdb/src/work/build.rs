//! Implements `buildschema`, which loads data and reports its progress in HammerDB's format.
//!
//! Each loader loads one warehouse at a time and then prints the same lines as HammerDB. A loader that has finished its
//! own share takes over warehouses from others.

use std::ops::Range;

use tacho_app::{Context, Difference, Exit, Holding, Job, Request, conflicts, look, prepare};
use tacho_core::{Error, ErrorKind, Result};
use tacho_store::event::LoaderState;
use tacho_store::{Event, Listener};

use super::request::BuildPlan;
use super::story::{Story, Warehouses};
use super::tproch::Gigabytes;
use super::transcript::{State, Transcript};
use super::{Names, job};
use crate::clock;
use crate::dictionary::Benchmark;

pub(super) fn build(
    plan: &BuildPlan,
    names: &Names,
    context: &Context,
    transcript: &Transcript,
) -> Exit {
    let workers = if plan.users == 1 { 2..2 } else { 2..plan.users + 2 };
    transcript.is(1, State::Running);
    if plan.users > 1 {
        transcript.says(1, "Monitor Thread");
    }
    transcript.says(1, format!("CREATING {} SCHEMA", names.schema()));
    plan.notes.iter().for_each(|note| transcript.says(1, note.as_str()));
    if names.prefix != "pg" {
        transcript.says(1, format!("CHECKING IF DATABASE {} EXISTS", names.database));
    }
    let story: Box<dyn Story> = match names.benchmark {
        Benchmark::TprocC => Box::new(Warehouses { procedures: names.procedures }),
        Benchmark::TprocH => Box::new(Gigabytes::default()),
    };
    let stage = Stage::Begun;
    let mut lines = BuildLines {
        transcript,
        names,
        plan,
        workers,
        story,
        stage,
        over: Vec::new(),
        shared: 1,
        monitored: false,
    };
    let built = try_build(plan, names, context, &mut lines);
    let (end, exit) = match built {
        Ok(()) => (State::Success, Exit::Success),
        Err(error) => transcript.fails(1, &error),
    };
    lines.workers_end(end);
    if end == State::Success {
        transcript.says(1, format!("{} SCHEMA COMPLETE", names.schema()));
    }
    transcript.is(1, end);
    exit
}

fn try_build(
    plan: &BuildPlan,
    names: &Names,
    context: &Context,
    lines: &mut BuildLines<'_>,
) -> Result<()> {
    let job = job(plan.flags.clone(), context)?;
    let name = &names.database;
    match look(Request::new(&job, context)) {
        Ok(Holding::Foreign(tables)) => {
            let text = format!("Tacho did not create {} and will not modify it", tables.join(", "));
            return Err(occupied(names).hint(text));
        }
        Ok(Holding::Ready) => {
            return Err(occupied(names).hint("use deleteschema to remove the existing tables"));
        }
        // An incomplete build is resumed, or started again if no rows have been loaded yet.
        Ok(Holding::HalfBuilt) => require_same_options(&job, names, context)?,
        Ok(Holding::Nothing) => {
            let text = format!("Using existing empty Database {name} for Schema build");
            lines.transcript.says(1, text);
        }
        // If the server does not respond, return the error now, because the build would fail with the same error.
        Err(error) if matches!(error.kind(), ErrorKind::Connect | ErrorKind::Timeout) => {
            return Err(error);
        }
        // The database or its user does not exist yet and must be created.
        Err(_) => lines.transcript.says(1, creating(names)),
    }
    prepare(Request::new(&job, context), lines).map(drop)
}

/// Returns an error if the existing rows were loaded with options that differ from those of the script.
fn require_same_options(job: &Job, names: &Names, context: &Context) -> Result<()> {
    let differs = conflicts(Request::new(job, context))?;
    if differs.is_empty() {
        return Ok(());
    }
    let words: Vec<String> = differs.iter().map(|option| option_words(option, names)).collect();
    let text = format!(
        "the interrupted build of {} used different options: {}",
        names.database,
        words.join(", ")
    );
    Err(Error::new(ErrorKind::Missing, text).hint(
        "use deleteschema to remove the loaded data, or use the same options to resume the build",
    ))
}

/// Describes an option by the key that the script uses for it.
fn option_words(option: &Difference, names: &Names) -> String {
    let Difference { key, built, wanted } = option;
    let entry = names.keys.iter().find(|(ours, _)| ours == key);
    let key = entry.map_or(key, |(_, theirs)| theirs);
    let shown =
        |value: &str| if value.is_empty() { "the default".to_owned() } else { value.to_owned() };
    format!("{key} was {} and is now {}", shown(built), shown(wanted))
}

fn creating(names: &Names) -> String {
    let Names { database, user, .. } = names;
    match names.prefix {
        "pg" => format!("CREATING DATABASE {database} under OWNER {user}"),
        _ => format!("CREATING DATABASE {database}"),
    }
}

/// Returns HammerDB's error message for a database that is not empty.
fn occupied(names: &Names) -> Error {
    let name = &names.database;
    let text = match names.prefix {
        "pg" => format!("Database with tables {name} exists"),
        _ => {
            format!("Database {name} exists but is not empty, specify a new or empty database name")
        }
    };
    Error::new(ErrorKind::Auth, text)
}

/// The progress of a build. Only stages that affect the output lines are distinguished.
#[derive(PartialEq, Eq)]
enum Stage {
    Begun,
    Loading,
    Loaded,
}

/// Converts the progress of a build to output lines.
struct BuildLines<'a> {
    transcript: &'a Transcript,
    names: &'a Names,
    plan: &'a BuildPlan,
    workers: Range<u32>,
    story: Box<dyn Story>,
    stage: Stage,
    /// Loaders that have finished.
    over: Vec<u32>,
    /// The last virtual user for which the share of the loading work has been printed.
    shared: u32,
    monitored: bool,
}

impl BuildLines<'_> {
    /// Returns the number of the virtual user that represents this loader. If there are several virtual users, the
    /// first one is the monitor and does not load data.
    fn user(&self, loader: usize) -> u32 {
        if self.plan.users == 1 { 1 } else { loader as u32 + 2 }
    }

    fn loading(&mut self) {
        if self.stage == Stage::Begun {
            self.stage = Stage::Loading;
            self.transcript.says(1, format!("CREATING {} TABLES", self.story.schema()));
            self.story.tables(self.transcript);
        }
    }

    /// Prints the share of a loader.
    fn share(&mut self, user: u32, parts: Option<(u64, u64)>) {
        self.loading();
        if user > 1 {
            self.transcript.is(user, State::Running);
            self.transcript.says(user, "Worker Thread");
            self.transcript.says(user, self.story.share(self.plan, parts));
        }
        self.transcript.says(user, format!("Start:{}", clock::now()));
        self.shared = user;
    }

    /// Prints the lines of virtual users that have no share of the work. Such users finish immediately.
    fn all_shared(&mut self) {
        let last = self.plan.users + 1;
        if self.plan.users == 1 || self.monitored {
            return;
        }
        self.monitored = true;
        let idle = self.shared + 1..=last;
        for user in idle.clone() {
            self.share(user, None);
        }
        self.transcript.says(1, "Monitoring Workers...");
        self.workers_done();
        idle.for_each(|user| self.through(user));
    }

    /// Prints how many loaders are active, if there is a monitor.
    fn workers_done(&self) {
        let (users, done) = (self.plan.users as usize, self.over.len());
        if users > 1 {
            self.transcript.says(1, format!("Workers: {} Active {done} Done", users - done));
        }
    }

    /// Prints the end of a loader.
    fn through(&mut self, user: u32) {
        self.over.push(user);
        self.transcript.says(user, format!("End:{}", clock::now()));
        if user > 1 {
            self.transcript.is(user, State::Success);
        }
        self.workers_done();
    }

    fn loaded(&mut self) {
        if self.stage == Stage::Loading {
            self.stage = Stage::Loaded;
            self.story.loaded(self.transcript);
        }
    }

    /// Sets the final state of all workers that have not ended yet. Later calls have no effect.
    fn workers_end(&mut self, state: State) {
        for worker in std::mem::take(&mut self.workers) {
            if !self.over.contains(&worker) {
                self.transcript.is(worker, state);
            }
        }
    }
}

impl Listener for BuildLines<'_> {
    fn on(&mut self, event: &Event) {
        match event {
            Event::Note { text } => self.note(text),
            Event::Build { build } => {
                self.loading();
                self.story.progress(self.transcript, build);
            }
            Event::Loader { loader, state } => self.loader(*loader, *state),
            _ => {}
        }
    }
}

impl BuildLines<'_> {
    fn note(&mut self, text: &str) {
        if text != "creating indexes, routines and statistics" {
            self.transcript.says(1, text);
            return;
        }
        self.loaded();
        self.workers_end(State::Success);
        let schema = self.story.schema();
        if self.names.prefix == "pg" {
            self.transcript.says(1, format!("CREATING {schema} INDEXES"));
        }
        if let Some(routines) = self.story.routines(self.names.prefix) {
            self.transcript.says(1, format!("CREATING {schema} {routines}"));
        }
        self.transcript.says(1, "GATHERING SCHEMA STATISTICS");
    }

    fn loader(&mut self, loader: usize, does: LoaderState) {
        let user = self.user(loader);
        if !matches!(does, LoaderState::Share(_)) {
            self.all_shared();
        }
        match does {
            LoaderState::Share(parts) => self.share(user, parts),
            LoaderState::Begins(part) => self.story.begins(self.transcript, user, part),
            LoaderState::Loaded(part) => self.story.part_loaded(self.transcript, user, part),
            LoaderState::Over => self.through(user),
        }
    }
}
