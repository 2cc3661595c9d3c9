//! What is made of a table after its rows: secondary indexes and statistics, by several sessions at
//! once, each with a table of its own.
//!
//! A table's work is never cut, so no two sessions wait for the same lock. An index is noted like a
//! unit of the build, in one transaction with it where the database can. Start reading at [`finish`].

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Access as Begin, Object, ObjectKind};
use tacho_workload::{MarkerStore, Noted};

use super::until_stopped;
use crate::Request;
use crate::access::environment;

/// A statement that is noted as a unit of the build.
pub(crate) struct Step {
    /// Number of the unit.
    pub(crate) unit: u64,
    /// What it does, for an error.
    pub(crate) what: String,
    /// The statement.
    pub(crate) sql: String,
    /// The tables that it changes; none if it creates a routine.
    pub(crate) tables: Vec<&'static str>,
    /// Whether a stopped build may have done it without a note: the database commits DDL separately.
    pub(crate) may_be_done: bool,
    /// Whether it cannot be run within a transaction.
    pub(crate) is_separate: bool,
    /// The rows that it loads.
    pub(crate) rows: u64,
}

/// The work on one table.
pub(crate) struct Finishing {
    /// Its name.
    pub(crate) table: &'static str,
    /// Its indexes that are not there yet.
    pub(crate) steps: Vec<Step>,
    /// Refreshes its statistics; last, because it serves the table as it then is.
    pub(crate) analyze: String,
}

/// Does the work on a set of tables, in the order given, with so many sessions. After an error no other table is begun.
/// Returns the error of a server that cannot refresh statistics: the build is complete without them.
pub(crate) fn finish(
    request: Request<'_>,
    work: &[Finishing],
    sessions: usize,
    set: u32,
) -> Result<Option<Error>> {
    let context = request.context;
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let outcome = Mutex::new(Ok(None));
    let take = || {
        let stopped = failed.load(Ordering::Relaxed) || context.interrupted();
        if stopped { None } else { work.get(next.fetch_add(1, Ordering::Relaxed)) }
    };
    std::thread::scope(|scope| {
        for _ in 0..sessions.min(work.len()) {
            scope.spawn(|| {
                let stopped = || failed.load(Ordering::Relaxed) || context.interrupted();
                let done = session(request, set, stopped, take);
                failed.fetch_or(done.is_err(), Ordering::Relaxed);
                let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
                match (&*outcome, done) {
                    // The first error; those that follow may follow from it.
                    (Ok(_), Err(error)) => *outcome = Err(error),
                    (Ok(None), Ok(Some(refusal))) => *outcome = Ok(Some(refusal)),
                    _ => {}
                }
            });
        }
    });
    outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn session<'a>(
    Request { job, context }: Request<'_>,
    set: u32,
    stopped: impl Fn() -> bool,
    take: impl Fn() -> Option<&'a Finishing>,
) -> Result<Option<Error>> {
    let finished = until_stopped(stopped, async {
        let session = job.driver.connect(&job.target, environment(context, false, set)).await?;
        let Ok(mut store) = MarkerStore::open(session, job.driver.dialect()).await? else {
            return Err(Error::new(ErrorKind::Missing, "the marker tables are gone"));
        };
        let mut refusal = None;
        while let Some(table) = take() {
            for step in &table.steps {
                make(&mut store, step).await?;
            }
            match store.exchange().session().script(&table.analyze).await {
                Err(error) if error.kind() == ErrorKind::Unsupported => refusal = Some(error),
                outcome => outcome?,
            }
            note_tables(&mut store, &[table.table]).await?;
        }
        store.into_session().close().await.map(|()| refusal)
    });
    finished?.unwrap_or(Ok(None))
}

/// Runs one statement and notes it.
pub(crate) async fn make(store: &mut MarkerStore, step: &Step) -> Result<()> {
    let is_routine = step.tables.is_empty();
    let before =
        if is_routine { store.exchange().inspector().objects().await? } else { Vec::new() };
    let noted = store.noted().await?;
    if !step.is_separate {
        begin(store).await?;
    }
    if let Err(error) = run_step(store, step, &before, &noted).await {
        store.exchange().reset().await?;
        return Err(error.during(step.what.clone()));
    }
    store.unit_done(step.unit, step.rows);
    store.exchange().commit();
    store.exchange().send().await.map(|_| ())
}

async fn begin(store: &mut MarkerStore) -> Result<()> {
    store.exchange().begin(Begin::Write);
    store.exchange().send().await.map(|_| ())
}

/// Runs the statement, and queues the notes of what it has created or changed in the transaction that is then open.
async fn run_step(
    store: &mut MarkerStore,
    step: &Step,
    before: &[Object],
    noted: &Noted,
) -> Result<()> {
    match store.exchange().session().script(&step.sql).await {
        Err(error) if error.kind() == ErrorKind::Exists && step.may_be_done => {
            // The table is ours, so the index of this name on it is; a routine is, if it has our text.
            let own = before.iter().find(|object| is_made_by(step, object));
            if step.tables.is_empty() && own.is_none() {
                return Err(error);
            }
            store.exchange().reset().await?;
            begin(store).await?;
            if let Some(routine) = own {
                store.note_routine(routine);
            }
        }
        Ok(()) if step.is_separate => begin(store).await?,
        outcome => outcome?,
    }
    if noted.is_empty() {
        return Ok(());
    }
    let after = store.exchange().inspector().objects().await?;
    for object in &after {
        match object.kind {
            ObjectKind::Table if step.tables.contains(&object.name.as_str()) => {
                store.note_table(object);
            }
            ObjectKind::Routine if step.tables.is_empty() && !before.contains(object) => {
                let is_same = |old: &&Object| old.identity == object.identity;
                if before.iter().find(is_same).is_some() {
                    return Err(replaced(object));
                }
                store.note_routine(object);
            }
            ObjectKind::Table | ObjectKind::Routine | ObjectKind::Other => {}
        }
    }
    Ok(())
}

/// Whether a routine has the text that the step gives it. White space may differ.
fn is_made_by(step: &Step, object: &Object) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&object.shape.join(" "));
    object.kind == ObjectKind::Routine && !text.is_empty() && words(&step.sql).contains(&text)
}

/// That a routine of the user's has the name and the parameters of one of ours.
fn replaced(object: &Object) -> Error {
    let text = format!("routine {} already exists, and tacho did not create it", object.name);
    Error::new(ErrorKind::Auth, text)
        .hint("rename or remove it, or name another database or schema")
}

/// Notes the tables of these names as the database has them now.
pub(crate) async fn note_tables(store: &mut MarkerStore, names: &[&str]) -> Result<()> {
    if store.noted().await?.is_empty() {
        return Ok(());
    }
    let objects = store.exchange().inspector().objects().await?;
    store.exchange().begin(Begin::Write);
    let tables = objects.iter().filter(|object| object.kind == ObjectKind::Table);
    for table in tables.filter(|table| names.contains(&table.name.as_str())) {
        store.note_table(table);
    }
    store.exchange().commit();
    store.exchange().send().await.map(|_| ())
}
