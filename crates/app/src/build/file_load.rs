//! Loads rows from files that the server itself reads.
//!
//! Each loaded file is recorded like a build unit, if possible in the same transaction. If this is not possible,
//! one statement loads all files of a table.
//!
//! Start reading at [`load`].

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Instant, Result, Schema};
use tacho_driver::{
    Catalog, Dialect, Exchange, FileLoad, Form, RowFiles, Session, StatementId, parse_sections,
};
use tacho_store::Listener;
use tacho_store::event::LoaderState;
use tacho_workload::MarkerStore;

use super::finish::{Step, make};
use super::worker::Shared;
use super::{Watched, all_workers, until_stopped};
use crate::access::environment;
use crate::clock::clock;
use crate::files::LoadedFiles;
use crate::preparation::Preparation;
use crate::{Job, Request};

/// Unit number of the first file that the server loads. Each additional file has the next lower number. Counting
/// starts at the largest number that fits into the data marker, so that files never share numbers with other units.
const LAST_UNIT: u64 = i32::MAX as u64;
/// Larger unit numbers denote files.
const UNITS_MAX: u64 = LAST_UNIT / 2;

/// Returns true if a unit number represents a file.
pub(crate) fn is_file(unit: u64) -> bool {
    unit > UNITS_MAX
}

/// The work of one statement.
struct Task {
    step: Step,
    table: usize,
    rows: u64,
}

/// Returns an error if the database cannot load these files. Tacho calls this before it creates anything in the
/// database.
pub(crate) fn require_loadable(job: &Job, layout: &Schema, files: &LoadedFiles) -> Result<()> {
    if job.sets() > 1 {
        return Err(Error::usage("files can be loaded into only one table set")
            .hint("omit --files or --sets"));
    }
    tasks(job, layout, files).map(|_| ())
}

/// The units that are already loaded, and the number of sessions for loading the remaining ones.
pub(crate) struct Left<'a> {
    /// The units that have already been loaded, each with its row count.
    pub(crate) done: &'a [(u64, u64)],
    pub(crate) sessions: usize,
}

/// Lets the server load all files that are not loaded yet. Returns the number of rows and the time taken.
pub(crate) fn load(
    request: Request<'_>,
    wanted: &Preparation,
    files: &LoadedFiles,
    Left { done, sessions }: Left<'_>,
    set: u32,
    listener: &mut dyn Listener,
) -> Result<(u64, Duration)> {
    let mut tasks = tasks(request.job, &wanted.layout, files)?;
    tasks.retain(|task| done.iter().all(|(unit, _)| *unit != task.step.unit));
    // Load the largest files first, so that sessions do not have to wait for a large file at the end.
    tasks.make_contiguous().sort_by_key(|task| std::cmp::Reverse(task.rows));
    let instance = wanted.instance.as_ref();
    let mut expected = vec![0; wanted.layout.tables.len()];
    for task in &tasks {
        expected[task.table] += task.rows;
    }
    let shared = Shared::of_rows(expected, request.context.interrupt.clone(), set);
    let (clock, tasks) = (clock(), Mutex::new(tasks));
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let watched = Watched { shared: &shared, instance, clock: &clock };
    all_workers(sessions, watched, listener, |_, tell| {
        let stopped = || shared.stopped();
        let done = until_stopped(stopped, worker(request, &shared, set, &next));
        tell(LoaderState::Over);
        done?.unwrap_or(Ok(()))
    })?;
    Ok((shared.rows(), clock.now().since(Instant(0))))
}

async fn worker(
    Request { job, context }: Request<'_>,
    shared: &Shared,
    set: u32,
    next: &dyn Fn() -> Option<Task>,
) -> Result<()> {
    let session = job.driver.connect(&job.target, environment(context, false, set)).await?;
    let Ok(mut store) = MarkerStore::open(session, job.driver.dialect()).await? else {
        return Err(Error::new(ErrorKind::Missing, "the marker tables no longer exist"));
    };
    while !shared.stopped()
        && let Some(task) = next()
    {
        let made = make(&mut store, &task.step).await;
        made.map_err(|error| explained(error, &task.step.what))?;
        shared.counter(task.table).fetch_add(task.rows, Ordering::Relaxed);
    }
    store.into_session().close().await
}

/// Adds the file name to an error, along with a hint about why servers often cannot read files.
fn explained(error: Error, what: &str) -> Error {
    let kind = error.kind();
    let error = error.hint(format!("the failed statement was supposed to {what}"));
    match kind {
        ErrorKind::Auth | ErrorKind::Resource | ErrorKind::Missing => error.hint(
            "the server reads the files itself: they must exist at this path on the server, its user must have \
             permission to read them, and the login must have permission to load files from the server",
        ),
        _ => error,
    }
}

fn tasks(job: &Job, layout: &Schema, files: &LoadedFiles) -> Result<VecDeque<Task>> {
    let mut units = (UNITS_MAX + 1..=LAST_UNIT).rev();
    let mut tasks = VecDeque::new();
    for (place, table) in layout.tables.iter().enumerate() {
        let (paths, rows): (Vec<String>, Vec<u64>) = files.of(table.name).into_iter().unzip();
        if let Some(path) = paths.iter().find(|path| path.contains(char::is_control)) {
            return Err(Error::usage(format!("the path {path:?} contains a control character"))
                .hint("move the files to another folder"));
        }
        let sources = RowFiles { table, format: files.format, paths: &paths };
        let mut task = |what: String, sql: String, rows: u64, is_separate: bool| Task {
            step: Step {
                unit: units.next().unwrap_or(LAST_UNIT),
                what,
                sql,
                tables: vec![table.name],
                may_be_done: false,
                is_separate,
                rows,
            },
            table: place,
            rows,
        };
        match job.driver.dialect().load_files(&sources) {
            _ if paths.is_empty() => {}
            Some(FileLoad::Each(statements)) => {
                for ((sql, path), rows) in statements.into_iter().zip(&paths).zip(rows) {
                    tasks.push_back(task(format!("load {path}"), sql, rows, false));
                }
            }
            Some(FileLoad::Replacing(sql)) => {
                let what = format!("load the files of {}", table.name);
                tasks.push_back(task(what, sql, rows.iter().sum(), true));
            }
            None => return Err(not_loaded(job, files)),
        }
    }
    Ok(tasks)
}

fn not_loaded(job: &Job, files: &LoadedFiles) -> Error {
    let (title, format) = (job.driver.manifest().title, files.format.name());
    Error::new(ErrorKind::Unsupported, format!("{title} cannot load files in {format} format"))
        .hint("generate the files with a different --format, or omit --files; prepare then generates the same rows")
}

/// Returns an error unless each table contains as many rows as its files do.
pub(crate) async fn require_rows(
    session: Box<dyn Session>,
    dialect: &dyn Dialect,
    wanted: &Preparation,
    files: &LoadedFiles,
) -> Result<()> {
    let names: Vec<&str> = wanted.layout.tables.iter().map(|table| table.name).collect();
    let count =
        |name: &&str| format!("-- name: {name}() -> (rows int)\nSELECT count(*) FROM {name}\n");
    let text: String = names.iter().map(count).collect();
    let catalog = Arc::new(Catalog::build(dialect, &names, &[parse_sections(&text)?])?);
    let mut exchange = Exchange::new(session, catalog, Form::Sql).await?;
    for (number, name) in (0..).zip(names) {
        exchange.execute(StatementId(number));
        let found = exchange.send().await?.one(0)?.number(0)?;
        let expected: u64 = files.of(name).iter().map(|(_, rows)| rows).sum();
        if u64::try_from(found) != Ok(expected) {
            let text = format!("table {name} has {found} rows, but its files contain {expected}");
            return Err(Error::new(ErrorKind::Protocol, text).hint(
                "the server skipped rows: check its messages, and remove the loaded rows with \
                    tacho clean",
            ));
        }
    }
    exchange.into_session().close().await
}
