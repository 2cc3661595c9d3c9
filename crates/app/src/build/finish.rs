//! What is made of a table after its rows: secondary indexes and statistics, by several sessions at
//! once, each with a table of its own.
//!
//! A table's work is never cut, so no two sessions wait for the same lock. An index is noted like a
//! unit of the build, in one transaction with it where the database can. Start reading at [`finish`].

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Access as Begin;
use tacho_engine::EventLoop;
use tacho_workload::MarkerStore;

use crate::access::environment;
use crate::{Context, Job};

/// A statement that is noted as a unit of the build.
pub(crate) struct Step {
    /// Number of the unit.
    pub(crate) unit: u64,
    /// What it does, for an error.
    pub(crate) what: String,
    /// The statement.
    pub(crate) sql: String,
}

/// The work on one table.
pub(crate) struct Finishing {
    /// Its indexes that are not there yet.
    pub(crate) steps: Vec<Step>,
    /// Refreshes its statistics; last, because it serves the table as it then is.
    pub(crate) analyze: String,
}

/// Does the work on a set of tables, in the order given, with so many sessions. After an error no other table is begun.
pub(crate) fn finish(
    job: &Job,
    context: &Context,
    work: &[Finishing],
    (sessions, set): (usize, u32),
) -> Result<()> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let outcome = Mutex::new(Ok(()));
    let take = || {
        let stopped = failed.load(Ordering::Relaxed) || context.interrupted();
        if stopped { None } else { work.get(next.fetch_add(1, Ordering::Relaxed)) }
    };
    std::thread::scope(|scope| {
        for _ in 0..sessions.min(work.len()) {
            scope.spawn(|| {
                if let Err(error) = session(job, context, set, take) {
                    failed.store(true, Ordering::Relaxed);
                    let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
                    // The first error; those that follow may follow from it.
                    if outcome.is_ok() {
                        *outcome = Err(error);
                    }
                }
            });
        }
    });
    outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn session<'a>(
    job: &Job,
    context: &Context,
    set: u32,
    take: impl Fn() -> Option<&'a Finishing>,
) -> Result<()> {
    EventLoop::new()?.block_on(async {
        let session = job.driver.connect(&job.target, environment(context, false, set)).await?;
        let Ok(mut store) = MarkerStore::open(session, job.driver.dialect()).await? else {
            return Err(Error::new(ErrorKind::Missing, "the marker tables are gone"));
        };
        while let Some(table) = take() {
            for step in &table.steps {
                make(&mut store, step).await?;
            }
            store.exchange().session().script(&table.analyze).await?;
        }
        store.into_session().close().await
    })
}

/// Runs one statement and notes it.
pub(crate) async fn make(store: &mut MarkerStore, step: &Step) -> Result<()> {
    store.exchange().begin(Begin::Write);
    store.exchange().send().await?;
    if let Err(error) = store.exchange().session().script(&step.sql).await {
        store.exchange().reset().await?;
        return Err(error.during(step.what.clone()));
    }
    store.unit_done(step.unit, 0);
    store.exchange().commit();
    store.exchange().send().await.map(|_| ())
}
