//! `buildschema`: a preparation, told in HammerDB's lines.
//!
//! Our loaders take warehouses from one queue and make each at once, so what HammerDB's tell of
//! their ranges and batches is told by the first virtual user, of all of them together.

use std::ops::Range;

use tacho_app::{BuildState, Context, Exit, Holding, Progress, look, prepare};
use tacho_core::{Error, ErrorKind, Result};

use super::request::BuildPlan;
use super::voice::{State, Voice};
use super::{Names, failed, job, words};
use crate::clock;

pub(super) fn build(plan: &BuildPlan, names: &Names, context: &Context, voice: &Voice) -> Exit {
    let workers = if plan.users == 1 { 2..2 } else { 2..plan.users + 2 };
    voice.is(1, State::Running);
    if plan.users > 1 {
        voice.says(1, "Monitor Thread");
    }
    voice.says(1, format!("CREATING {} SCHEMA", names.user.to_uppercase()));
    if names.prefix != "pg" {
        voice.says(1, format!("CHECKING IF DATABASE {} EXISTS", names.database));
    }
    let mut lines = BuildLines { voice, names, plan, workers, warehouses: 0, stage: Stage::Begun };
    let built = try_build(plan, names, context, &mut lines);
    let (state, exit) = match built {
        Ok(()) => (State::Success, Exit::Success),
        Err(error) => {
            voice.error(1, words(&error));
            (State::Failed, failed(Exit::of(&error)))
        }
    };
    lines.workers_end(state);
    if state == State::Success {
        let name = if names.prefix == "pg" { &names.user } else { &names.database };
        voice.says(1, format!("{} SCHEMA COMPLETE", name.to_uppercase()));
    }
    voice.is(1, state);
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
    /// Warehouses whose loading has been told.
    warehouses: u64,
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
        self.voice.says(1, "CREATING TPCC TABLES");
        self.voice.says(1, "Loading Item");
        let BuildPlan { warehouses, users, .. } = self.plan;
        for worker in self.workers.clone() {
            self.voice.is(worker, State::Running);
            self.voice.says(worker, "Worker Thread");
            let range = format!("Loading {warehouses} Warehouses start:1 end:{warehouses}");
            self.voice.says(worker, format!("{range} shared by {users} Virtual Users"));
        }
        for loader in self.loaders() {
            self.voice.says(loader, format!("Start:{}", clock::now()));
        }
        if *users > 1 {
            self.voice.says(1, "Monitoring Workers...");
            self.voice.says(1, format!("Workers: {users} Active 0 Done"));
        }
    }

    fn loaded(&mut self) {
        if self.stage != Stage::Loading {
            return;
        }
        self.stage = Stage::Loaded;
        for table in ["Item done", "Stock done", "District done", "Customer Done", "Orders Done"] {
            self.voice.says(1, table);
        }
        for loader in self.loaders() {
            self.voice.says(loader, format!("End:{}", clock::now()));
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
        let is_pg = self.names.prefix == "pg";
        if is_pg {
            self.voice.says(1, "CREATING TPCC INDEXES");
        }
        let functions = is_pg && !self.names.procedures;
        let routines = if functions { "FUNCTIONS" } else { "STORED PROCEDURES" };
        self.voice.says(1, format!("CREATING TPCC {routines}"));
        self.voice.says(1, "GATHERING SCHEMA STATISTICS");
    }

    fn build(&mut self, state: &BuildState) {
        self.loading();
        let Some(table) = state.tables.iter().find(|table| table.name == "warehouse") else {
            return;
        };
        for warehouse in self.warehouses + 1..=table.rows {
            self.voice.says(1, "Loading Warehouse");
            self.voice.says(1, format!("Loading Stock Wid={warehouse}"));
            self.voice.says(1, format!("Loading Customer for DID=1..10 WID={warehouse}"));
            self.voice.says(1, format!("Loading Orders for D=1..10 W={warehouse}"));
        }
        self.warehouses = self.warehouses.max(table.rows);
    }
}
