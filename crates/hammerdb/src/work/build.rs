//! `buildschema`: a preparation, told in HammerDB's lines.
//!
//! Our loaders take warehouses from one queue and make each at once, so what HammerDB's tell of
//! their ranges and batches is told by the first virtual user, of all of them together.

use std::ops::Range;

use tacho_app::{BuildState, Context, Exit, Holding, Progress, look, prepare};
use tacho_core::{Error, ErrorKind, Result};

use super::request::BuildPlan;
use super::tproch::Gigabytes;
use super::voice::{State, Voice};
use super::{Names, failed, job, words};
use crate::clock;
use crate::dictionary::Benchmark;

pub(super) fn build(plan: &BuildPlan, names: &Names, context: &Context, voice: &Voice) -> Exit {
    let workers = if plan.users == 1 { 2..2 } else { 2..plan.users + 2 };
    voice.is(1, State::Running);
    if plan.users > 1 {
        voice.says(1, "Monitor Thread");
    }
    voice.says(1, format!("CREATING {} SCHEMA", names.schema()));
    if names.prefix != "pg" {
        voice.says(1, format!("CHECKING IF DATABASE {} EXISTS", names.database));
    }
    let story: Box<dyn Story> = match names.benchmark {
        Benchmark::TprocC => Box::new(Warehouses { told: 0, procedures: names.procedures }),
        Benchmark::TprocH => Box::new(Gigabytes::default()),
    };
    let stage = Stage::Begun;
    let mut lines = BuildLines { voice, names, plan, workers, story, stage };
    let built = try_build(plan, names, context, &mut lines);
    let (end, exit) = match built {
        Ok(()) => (State::Success, Exit::Success),
        Err(error) => {
            voice.error(1, words(&error));
            (State::Failed, failed(Exit::of(&error)))
        }
    };
    lines.workers_end(end);
    if end == State::Success {
        voice.says(1, format!("{} SCHEMA COMPLETE", names.schema()));
    }
    voice.is(1, end);
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
    match look(&job, context) {
        Ok(Holding::Foreign(tables)) => {
            let text = format!("Tacho did not make {}, and leaves it alone", tables.join(", "));
            return Err(occupied(names).hint(text));
        }
        Ok(Holding::Ready) => {
            return Err(occupied(names).hint("deleteschema removes what is there"));
        }
        // It is gone on with.
        Ok(Holding::HalfBuilt) => {}
        Ok(Holding::Nothing) => {
            let text = format!("Using existing empty Database {name} for Schema build");
            lines.voice.says(1, text);
        }
        // Nobody answers: a build would wait for the same once more.
        Err(error) if matches!(error.kind(), ErrorKind::Connect | ErrorKind::Timeout) => {
            return Err(error);
        }
        // The database or its user is to be made.
        Err(_) => lines.voice.says(1, creating(names)),
    }
    prepare(&job, context, lines).map(drop)
}

fn creating(names: &Names) -> String {
    let Names { database, user, .. } = names;
    match names.prefix {
        "pg" => format!("CREATING DATABASE {database} under OWNER {user}"),
        _ => format!("CREATING DATABASE {database}"),
    }
}

/// The words of HammerDB for a database that is not empty.
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

/// What a build tells of the benchmark's own tables.
pub(super) trait Story {
    /// The name of the schema in lines, such as `TPCC`.
    fn schema(&self) -> &'static str;
    /// The tables are there, and rows come.
    fn tables(&mut self, voice: &Voice);
    /// What a worker is to do.
    fn share(&self, plan: &BuildPlan) -> String;
    /// How far it is.
    fn progress(&mut self, voice: &Voice, state: &BuildState);
    /// All rows are there.
    fn loaded(&mut self, voice: &Voice);
    /// The stored routines that come last, if there are any.
    fn routines(&self, prefix: &str) -> Option<&'static str>;
}

/// The story of TPROC-C.
struct Warehouses {
    /// Warehouses whose loading has been told.
    told: u64,
    procedures: bool,
}

impl Story for Warehouses {
    fn schema(&self) -> &'static str {
        "TPCC"
    }

    fn tables(&mut self, voice: &Voice) {
        voice.says(1, "Loading Item");
    }

    fn share(&self, plan: &BuildPlan) -> String {
        let BuildPlan { size, users, .. } = plan;
        format!("Loading {size} Warehouses start:1 end:{size} shared by {users} Virtual Users")
    }

    fn progress(&mut self, voice: &Voice, state: &BuildState) {
        let Some(table) = state.tables.iter().find(|table| table.name == "warehouse") else {
            return;
        };
        for warehouse in self.told + 1..=table.rows {
            voice.says(1, "Loading Warehouse");
            voice.says(1, format!("Loading Stock Wid={warehouse}"));
            voice.says(1, format!("Loading Customer for DID=1..10 WID={warehouse}"));
            voice.says(1, format!("Loading Orders for D=1..10 W={warehouse}"));
        }
        self.told = self.told.max(table.rows);
    }

    fn loaded(&mut self, voice: &Voice) {
        for table in ["Item done", "Stock done", "District done", "Customer Done", "Orders Done"] {
            voice.says(1, table);
        }
    }

    fn routines(&self, prefix: &str) -> Option<&'static str> {
        let functions = prefix == "pg" && !self.procedures;
        Some(if functions { "FUNCTIONS" } else { "STORED PROCEDURES" })
    }
}

/// How far a build has been told.
#[derive(PartialEq, Eq)]
enum Stage {
    Begun,
    Loading,
    Loaded,
}

/// Turns the progress of a preparation into lines.
struct BuildLines<'a> {
    voice: &'a Voice,
    names: &'a Names,
    plan: &'a BuildPlan,
    workers: Range<u32>,
    story: Box<dyn Story>,
    stage: Stage,
}

impl BuildLines<'_> {
    /// The virtual users that load: the first alone, or all others.
    fn loaders(&self) -> Range<u32> {
        if self.plan.users == 1 { 1..2 } else { self.workers.clone() }
    }

    fn loading(&mut self) {
        if self.stage != Stage::Begun {
            return;
        }
        self.stage = Stage::Loading;
        self.voice.says(1, format!("CREATING {} TABLES", self.story.schema()));
        self.story.tables(self.voice);
        for worker in self.workers.clone() {
            self.voice.is(worker, State::Running);
            self.voice.says(worker, "Worker Thread");
            self.voice.says(worker, self.story.share(self.plan));
        }
        for loader in self.loaders() {
            self.voice.says(loader, format!("Start:{}", clock::now()));
        }
        let users = self.plan.users;
        if users > 1 {
            self.voice.says(1, "Monitoring Workers...");
            self.voice.says(1, format!("Workers: {users} Active 0 Done"));
        }
    }

    fn loaded(&mut self) {
        if self.stage != Stage::Loading {
            return;
        }
        self.stage = Stage::Loaded;
        self.story.loaded(self.voice);
        for loader in self.loaders() {
            self.voice.says(loader, format!("End:{}", clock::now()));
        }
        let users = self.plan.users;
        if users > 1 {
            self.voice.says(1, format!("Workers: 0 Active {users} Done"));
        }
    }

    /// Tells the end of the workers, once.
    fn workers_end(&mut self, state: State) {
        for worker in std::mem::take(&mut self.workers) {
            self.voice.is(worker, state);
        }
    }
}

impl Progress for BuildLines<'_> {
    fn note(&mut self, text: &str) {
        if text != "making indexes, routines and statistics" {
            self.voice.says(1, text);
            return;
        }
        self.loaded();
        self.workers_end(State::Success);
        let schema = self.story.schema();
        if self.names.prefix == "pg" {
            self.voice.says(1, format!("CREATING {schema} INDEXES"));
        }
        if let Some(routines) = self.story.routines(self.names.prefix) {
            self.voice.says(1, format!("CREATING {schema} {routines}"));
        }
        self.voice.says(1, "GATHERING SCHEMA STATISTICS");
    }

    fn build(&mut self, state: &BuildState) {
        self.loading();
        self.story.progress(self.voice, state);
    }
}
