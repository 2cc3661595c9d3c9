//! Creates secondary indexes and statistics after loading, in several parallel sessions.
//!
//! Each table is handled by a single session, so no two sessions wait for the same lock. Each finished index is
//! recorded like a build unit.
//!
//! Start reading at [`finish`].

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Access as Begin, Object, ObjectKind};
use tacho_workload::{MarkerStore, Noted};

use super::until_stopped;
use crate::Request;
use crate::access::environment;
use crate::stored_routines::{is_made_by, replaced};

/// A statement that is recorded as a build unit.
pub(crate) struct Step {
    /// The unit number.
    pub(crate) unit: u64,
    /// A description of the statement for error messages.
    pub(crate) what: String,
    /// The statement.
    pub(crate) sql: String,
    /// The tables that the statement changes; empty if it creates a routine.
    pub(crate) tables: Vec<&'static str>,
    /// True if the database commits the statement on its own. An interrupted build may then have run the statement
    /// without recording it.
    pub(crate) may_be_done: bool,
    /// True if the statement cannot run in a transaction.
    pub(crate) is_separate: bool,
    /// The number of rows that the statement loads.
    pub(crate) rows: u64,
}

/// The remaining work on one table.
pub(crate) struct Finishing {
    /// The table name.
    pub(crate) table: &'static str,
    /// The table's missing indexes.
    pub(crate) steps: Vec<Step>,
    /// Statement that refreshes the table's statistics. It runs last, on the complete table.
    pub(crate) analyze: String,
}

/// Creates indexes and statistics for the tables of a set, in the given order, using several sessions. A build
/// without statistics is still complete. If only the statistics fail, returns this error in `Ok`.
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
                    // Keep only the first error, because later errors may be consequences of it.
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
            return Err(Error::new(ErrorKind::Missing, "the marker tables no longer exist"));
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

/// Runs one statement and records it.
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

/// Runs the statement and adds marker entries for the affected objects to the open transaction.
async fn run_step(
    store: &mut MarkerStore,
    step: &Step,
    before: &[Object],
    noted: &Noted,
) -> Result<()> {
    match store.exchange().session().script(&step.sql).await {
        Err(error) if error.kind() == ErrorKind::Exists && step.may_be_done => {
            // An existing index was created by an earlier build, because Tacho created its table. An existing routine
            // may be the user's, so continue only if its text is the same as that of Tacho's routine.
            let existing = before.iter().find(|object| is_made_by(&step.sql, object));
            if step.tables.is_empty() && existing.is_none() {
                return Err(error);
            }
            store.exchange().reset().await?;
            begin(store).await?;
            if let Some(routine) = existing {
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

/// Records the current state of the named tables.
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
