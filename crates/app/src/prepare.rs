//! Creates tables, rows, indexes and statistics. An interrupted build can be resumed. Other data is never overwritten.

use std::time::Duration;

use tacho_config::CheckWhen;
use tacho_core::units::counted;
use tacho_core::{Error, ErrorKind, Result, Table};
use tacho_driver::{Dialect, Driver, Session};
use tacho_store::Listener;
use tacho_store::record::CheckRecord;
use tacho_workload::{Choices, Marker, MarkerState, MarkerStore};

use crate::access::{Access, Data, foreign};
use crate::build::{Finishing, Step, note_tables};
use crate::check::{NOW, passed, require_hosts, run_checks};
use crate::difference::{Difference, differences, scale_text};
use crate::headroom::require_headroom;
use crate::job::{has_native_routines, routines};
use crate::lock_watch::LockWatch;
use crate::ownership::{owned, require_free, require_ours};
use crate::preparation::{Preparation, new_marker, preparation};
use crate::{Context, Exit, Job, Request, build, clean, cluster, stored_routines};

/// The outcome of a preparation.
#[derive(Clone, Debug, PartialEq)]
pub struct PrepareReport {
    /// True if the data already existed.
    pub already: bool,
    /// True if this command resumed an interrupted build.
    pub resumed: bool,
    /// The number of rows loaded by this command.
    pub rows: u64,
    /// The duration of the load.
    pub load: Duration,
    /// The results of the checks that follow the build, if requested.
    pub checks: Vec<CheckRecord>,
    /// The exit code of the command.
    pub exit: Exit,
}

/// Validates the request and estimates the size of the data, without connecting to the database.
pub fn plan_prepare(job: &Job) -> Result<Preparation> {
    job.require_data("prepare")?;
    let data = job.files.as_ref().map(|files| &files.marker);
    let wanted = preparation(job, choices_like(job, data)?)?;
    if let Some(files) = &job.files {
        build::require_loadable(job, &wanted.layout, files)?;
        let new = new_marker(job, &wanted);
        let place = files.folder().display().to_string();
        require_same(&files.marker, &new, &place).map_err(|error| {
            error.hint("omit scale, profile, and seed, which are determined by the files")
        })?;
    }
    Ok(wanted)
}

/// Prepares the data, one table set at a time. Resumes an interrupted build.
pub fn prepare(request: Request<'_>, listener: &mut dyn Listener) -> Result<PrepareReport> {
    let job = request.job;
    require_load_hosts(job)?;
    let mut sum: Option<PrepareReport> = None;
    for set in job.all_sets() {
        if set > 0 {
            listener.note(&format!("set {set} of {}", job.sets()));
        }
        let report = prepare_set(request, set, listener)?;
        sum = Some(match sum {
            None => report,
            Some(sum) => sum.with(report),
        });
    }
    sum.ok_or_else(|| {
        Error::usage("the number of sets must be at least 1").hint("use --sets 1 or more")
    })
}

/// Returns the job among `others` that prepared the data now in the database. Returns `None` if the requested job can
/// use this data itself, or if the data belongs to none of the other jobs.
pub(crate) fn owner_of_other_data<'a>(
    request: Request<'_>,
    others: &[&'a Job],
) -> Result<Option<&'a Job>> {
    let access = Access::new(request.job)?;
    let session = access.connect_or_create(request)?;
    let Data::Ours(_, marker) = access.look(request, session)? else { return Ok(None) };
    if is_for(request.job, &marker) {
        return Ok(None);
    }
    Ok(others.iter().copied().find(|other| is_for(other, &marker)))
}

/// Returns true if two jobs on the same database can use the same data.
pub(crate) fn share_data(one: &Job, other: &Job) -> Result<bool> {
    let marker = new_marker(one, &plan_prepare(one)?);
    Ok(is_for(other, &marker))
}

fn is_for(job: &Job, marker: &Marker) -> bool {
    let same = || {
        let wanted = preparation(job, choices_like(job, Some(marker))?)?;
        require_same(marker, &new_marker(job, &wanted), &job.target_text)
    };
    marker.workload == job.workload.manifest().id && same().is_ok()
}

/// Returns an error if the requested hosts cannot share the load.
fn require_load_hosts(job: &Job) -> Result<()> {
    cluster::require_broker(job)?;
    if job.wanted.is_none() {
        return Ok(());
    }
    cluster::require_reachable(job, job.resolved.plan.load.sessions, "--sessions")?;
    let (title, capabilities) = (job.driver.manifest().title, job.driver.capabilities());
    if !capabilities.stores_data || !capabilities.concurrent_writers {
        let text = format!("{title} does not support loading from several hosts");
        return Err(Error::usage(text).hint("omit --hosts, or use a database server"));
    }
    match job.resolved.plan.judgement.check {
        Some(when) if when != CheckWhen::None => require_hosts(job),
        _ => Ok(()),
    }
}

impl PrepareReport {
    /// Combines two reports.
    fn with(mut self, other: Self) -> Self {
        self.already &= other.already;
        self.resumed |= other.resumed;
        self.rows += other.rows;
        self.load += other.load;
        self.checks.extend(other.checks);
        if other.exit != Exit::Success {
            self.exit = other.exit;
        }
        self
    }
}

fn prepare_set(
    request: Request<'_>,
    set: u32,
    listener: &mut dyn Listener,
) -> Result<PrepareReport> {
    let Request { job, context } = request;
    let access = Access::of(set)?;
    let wanted = plan_prepare(job)?;
    let session = access.connect_or_create(request)?;
    let mut builder = Builder { job, context, access: &access, listener };
    if !job.driver.capabilities().stores_data {
        return builder.write_through(&wanted, session);
    }
    match access.look(request, session)? {
        Data::Foreign(tables) => Err(foreign(ErrorKind::Auth, &job.target_text, &tables)
            .during("prepare")
            .hint("use another database; Tacho never changes data that it did not create")),
        Data::Empty(session) => builder.begin(&wanted, session),
        Data::Ours(_, marker) if marker.workload != job.workload.manifest().id => {
            let removal = format!("{} removes it", job.clean_command_of(&marker.workload));
            Err(other_data(&marker, &new_marker(job, &wanted), &job.target_text).hint(removal))
        }
        Data::Ours(mut store, marker) => {
            // If an earlier build failed before it loaded any rows, a build with other options may replace it.
            // Unlogged tables are excluded: they may be empty because a crash removed their rows.
            let may_be_lost = choices_like(job, Some(&marker))
                .and_then(|choices| preparation(job, choices))
                .is_ok_and(|built| built.unlogged());
            let corrected = marker.state == MarkerState::Building
                && !may_be_lost
                && !differences(&marker, &new_marker(job, &wanted)).is_empty();
            if corrected && access.unless_stopped(context, store.is_empty())? {
                drop(store);
                let text = "an earlier build with different options loaded nothing; starting the \
                    build again";
                builder.listener.note(text);
                return builder.again(&wanted, set);
            }
            let wanted = preparation(job, choices_like(job, Some(&marker))?)?;
            let removal = format!("{} removes it", job.clean_command_of(&marker.workload));
            require_same(&marker, &new_marker(job, &wanted), &job.target_text)
                .map_err(|error| error.hint(removal))?;
            require_same_files(job, &marker)?;
            if wanted.unlogged() && access.unless_stopped(context, store.is_empty())? {
                // Existing tables may have indexes that would slow down the load.
                drop(store);
                builder
                    .listener
                    .note("unlogged tables were lost in a crash; starting the build again");
                return builder.again(&wanted, set);
            }
            match marker.state {
                MarkerState::Ready => builder.already(&wanted, *store),
                MarkerState::Building => builder.build(&wanted, store, marker, None),
            }
        }
    }
}

/// Returns the job's choices. Values that the user did not set come from the loaded data.
fn choices_like(job: &Job, data: Option<&Marker>) -> Result<Choices> {
    let as_loaded = job.choices(data)?;
    let given = job.resolved.is_given("seed");
    let data_seed = if given { as_loaded.seed } else { as_loaded.data_seed };
    Ok(Choices { data_seed, ..as_loaded })
}

/// Returns an error if the existing data differs from what was requested. `place` says where the data is.
fn require_same(marker: &Marker, new: &Marker, place: &str) -> Result<()> {
    let same = Marker { state: new.state, runs: 0, loaded_at: new.loaded_at, ..marker.clone() };
    if same == *new { Ok(()) } else { Err(other_data(marker, new, place)) }
}

/// Returns an error if the existing data and the row files have different load dates.
fn require_same_files(job: &Job, marker: &Marker) -> Result<()> {
    match &job.files {
        Some(files) if files.marker.loaded_at != marker.loaded_at => {
            let text = format!(
                "the data in {} was loaded with a date that differs from the date in the files",
                job.target_text
            );
            let removal = format!("{} removes it", job.clean_command_of(&marker.workload));
            Err(Error::new(ErrorKind::Missing, text).during("prepare").hint(removal))
        }
        _ => Ok(()),
    }
}

/// Returns the error for existing data that differs from the requested data.
fn other_data(marker: &Marker, new: &Marker, place: &str) -> Error {
    let describe = |m: &Marker| {
        let scale = scale_text(m);
        format!("{} at scale {scale}, profile {}, seed {}", m.workload, m.profile, m.seed.0)
    };
    let differs = differences(marker, new);
    let detail = if describe(marker) == describe(new) && !differs.is_empty() {
        let list = |value: fn(&Difference) -> &String| {
            let pairs = differs
                .iter()
                .map(|difference| format!("{}={}", difference.key, value(difference)));
            pairs.collect::<Vec<_>>().join(" ")
        };
        format!(
            " with {}, but {} was requested",
            list(|difference| &difference.built),
            list(|difference| &difference.wanted)
        )
    } else {
        format!(", but {} was requested", describe(new))
    };
    let text = format!("{place} contains {}{detail}", describe(marker));
    Error::new(ErrorKind::Missing, text).during("prepare")
}

/// Returns the options that differ between an interrupted build and the requested one. Options that the user has
/// not set have their default values.
pub fn conflicts(request: Request<'_>) -> Result<Vec<Difference>> {
    let Request { job, context } = request;
    let wanted = plan_prepare(job)?;
    let access = Access::new(job)?;
    let session = access.connect(request)?;
    let Data::Ours(mut store, marker) = access.look(request, session)? else {
        return Ok(Vec::new());
    };
    let is_empty = access.unless_stopped(context, store.is_empty())?;
    access.unless_stopped(context, store.into_session().close())?;
    Ok(if is_empty { Vec::new() } else { differences(&marker, &new_marker(job, &wanted)) })
}

struct Builder<'a> {
    job: &'a Job,
    context: &'a Context,
    access: &'a Access,
    listener: &'a mut dyn Listener,
}

impl Builder<'_> {
    /// Removes what an earlier build left behind, then builds the data again.
    fn again(&mut self, wanted: &Preparation, set: u32) -> Result<PrepareReport> {
        let (job, context) = (self.job, self.context);
        clean::again(Request { job, context }, set, self.listener)?;
        self.begin(wanted, self.access.connect_or_create(Request { job, context })?)
    }

    /// Builds the data in a database that has no tables yet.
    fn begin(
        &mut self,
        wanted: &Preparation,
        mut session: Box<dyn Session>,
    ) -> Result<PrepareReport> {
        let (job, context, access) = (self.job, self.context, self.access);
        let sessions = self.sessions(wanted.instance.units() as usize);
        // Check the number of sessions before the first table is created, so that nothing is left behind if the server
        // accepts too few.
        self.require_headroom(session.as_mut(), sessions)?;
        let accepted =
            access.answer(Request { job, context }, session.inspector().accepts(&wanted.layout));
        accepted.map_err(|error| error.during("prepare"))?;
        let objects = access.answer(Request { job, context }, session.inspector().objects());
        let objects = objects.map_err(|error| error.during("prepare"))?;
        require_free(&objects, &wanted.layout, &job.target_text)?;
        let dialect = job.driver.dialect();
        let known = routines(&*wanted.instance, &*job.driver)?;
        stored_routines::require_free(&objects, &known, dialect, &job.target_text)?;
        let marker = new_marker(job, wanted);
        let create = MarkerStore::create(session, dialect, &marker, wanted.unlogged());
        let store = access.unless_stopped(context, create)?;
        self.build(wanted, Box::new(store), marker, Some(sessions))
    }

    /// Builds the data with `sessions` sessions, or resumes an earlier build if `sessions` is `None`.
    fn build(
        &mut self,
        wanted: &Preparation,
        mut store: Box<MarkerStore>,
        mut marker: Marker,
        sessions: Option<usize>,
    ) -> Result<PrepareReport> {
        let resumed = sessions.is_none();
        let (job, context, access) = (self.job, self.context, self.access);
        let mut watch = LockWatch::new(Request { job, context }, access.set);
        watch.during(self.listener, || {
            access.unless_stopped(context, create_tables(job, &mut store, wanted))
        })?;
        let done = access.unless_stopped(context, store.units())?;
        let units = wanted.instance.units();
        let todo: Vec<u64> =
            (0..units).filter(|unit| !done.iter().any(|(known, _)| known == unit)).collect();
        require_one_source(&done, units, job.files.is_some())?;
        if resumed && job.files.is_some() {
            self.listener.note("resuming an interrupted load from files");
        } else if resumed {
            let left = todo.len();
            self.listener
                .note(&format!("resuming an interrupted build: {left} of {units} parts remaining"));
        }
        let sessions = match sessions {
            Some(sessions) => sessions,
            None => self.resumed_sessions(todo.len(), store.exchange().session())?,
        };
        let mut watched = watch.watching(self.listener);
        let request = Request { job, context };
        let loaded = if let Some(files) = &job.files {
            let left = build::Left { done: &done, sessions };
            build::load_files(request, wanted, files, left, access.set, &mut watched)
        } else if job.wanted.is_some() {
            let (instance, store) = (wanted.instance.as_ref(), store.as_mut());
            build::load_over_hosts(request, instance, access, store, &marker, &mut watched)
        } else {
            build::load(request, wanted, todo, sessions, access.set, &mut watched)
        };
        let (rows, load) = loaded.map_err(|error| {
            error.hint("completed parts are kept; repeat the command to resume the build")
        })?;
        drop(watched);
        require_going_on(context)?;
        if let Some(files) = &job.files {
            let session = access.connect(Request { job, context })?;
            let counted = build::require_rows(session, job.driver.dialect(), wanted, files);
            watch.during(self.listener, || access.unless_stopped(context, counted))?;
        }
        self.listener.note("creating indexes, routines and statistics");
        let refusal = watch.during(self.listener, || {
            finish(request, access, wanted, &mut store, &done, sessions)
        })?;
        if let Some(error) = refusal {
            self.listener.note(&format!(
                "the optimizer's statistics were not updated: {error}; checks and queries can take minutes until \
                 the server collects statistics by itself"
            ));
        }
        marker.state = MarkerState::Ready;
        access.unless_stopped(context, store.update(&marker))?;
        let report = PrepareReport {
            already: false,
            resumed,
            rows,
            load,
            checks: Vec::new(),
            exit: Exit::Success,
        };
        self.checked(wanted, *store, report)
    }

    fn already(&mut self, wanted: &Preparation, store: MarkerStore) -> Result<PrepareReport> {
        let report = PrepareReport {
            already: true,
            resumed: false,
            rows: 0,
            load: Duration::ZERO,
            checks: Vec::new(),
            exit: Exit::Success,
        };
        self.checked(wanted, store, report)
    }

    /// Runs the checks, if the user requested them.
    fn checked(
        &mut self,
        wanted: &Preparation,
        store: MarkerStore,
        mut report: PrepareReport,
    ) -> Result<PrepareReport> {
        self.access.unless_stopped(self.context, store.into_session().close())?;
        if self.job.resolved.plan.judgement.check.is_some_and(|when| when != CheckWhen::None) {
            let request = Request { job: self.job, context: self.context };
            let (instance, set) = (wanted.instance.as_ref(), self.access.set);
            report.checks = run_checks(request, instance, set, NOW, self.listener)?;
            if !report.checks.iter().all(passed) {
                report.exit = Exit::CheckFailed;
            }
        }
        Ok(report)
    }

    /// Returns the requested number of loading sessions, or one if the database allows only one writer.
    fn sessions(&mut self, units: usize) -> usize {
        let asked = self.job.resolved.plan.load.sessions as usize;
        if asked > 1 && !self.job.driver.capabilities().concurrent_writers {
            let title = self.job.driver.manifest().title;
            self.listener.note(&format!(
                "{title} supports only one writing session, so the data is loaded with 1 session \
                    instead of {asked}"
            ));
            return 1;
        }
        asked.min(units.max(1))
    }

    fn resumed_sessions(&mut self, units: usize, session: &mut dyn Session) -> Result<usize> {
        let sessions = self.sessions(units);
        self.require_headroom(session, sessions).map(|()| sessions)
    }

    fn require_headroom(&self, session: &mut dyn Session, sessions: usize) -> Result<()> {
        let asked = require_headroom(session, sessions as u32, 0);
        self.access
            .answer(Request { job: self.job, context: self.context }, asked)
            .map_err(|error| error.during("prepare"))
    }

    /// Sends all statements and rows exactly once, because the driver does not store data.
    fn write_through(
        &mut self,
        wanted: &Preparation,
        mut session: Box<dyn Session>,
    ) -> Result<PrepareReport> {
        let dialect = self.job.driver.dialect();
        let instance = wanted.instance.as_ref();
        let mut rows = 0;
        self.access.unless_stopped(self.context, async {
            for table in &wanted.layout.tables {
                session.script(&creation(dialect, table)).await?;
            }
            for unit in 0..instance.units() {
                for slice in instance.unit(unit).slices {
                    let table = &wanted.layout.tables[slice.table];
                    let mut source = instance.rows(&slice);
                    rows += session.load(table, source.as_mut()).await?;
                    if let Some(error) = source.error() {
                        return Err(error);
                    }
                }
                require_going_on(self.context)?;
            }
            let Scripts { tables, routines } = scripts(wanted, self.job.driver.as_ref())?;
            for step in tables.into_iter().flatten().chain(routines) {
                session.script(&step.sql).await?;
            }
            session.close().await
        })?;
        let title = self.job.driver.manifest().title;
        self.listener
            .note(&format!("{} sent, but {title} does not store data", counted(rows, "row")));
        Ok(PrepareReport {
            already: false,
            resumed: false,
            rows,
            load: Duration::ZERO,
            checks: Vec::new(),
            exit: Exit::Success,
        })
    }
}

/// Returns an error if an interrupted build loaded rows from files and the current build would generate them, or vice
/// versa.
fn require_one_source(done: &[(u64, u64)], units: u64, from_files: bool) -> Result<()> {
    let rows = done.iter().map(|(unit, _)| *unit);
    let mut rows = rows.filter(|unit| *unit < units || build::is_file(*unit));
    if rows.all(|unit| build::is_file(unit) == from_files) {
        return Ok(());
    }
    let hint = if from_files {
        "to resume the build, omit --files"
    } else {
        "to resume the build, use --files with the same folder"
    };
    Err(Error::new(
        ErrorKind::Missing,
        "the interrupted build loaded its rows from a different source",
    )
    .hint(hint))
}

fn require_going_on(context: &Context) -> Result<()> {
    if !context.interrupted() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Cancelled, "the build was stopped; completed parts are kept")
        .hint("repeat the command to resume the build"))
}

/// Creates indexes and statistics, starting with the largest table, then stored routines. A build without statistics
/// is still complete. If only the statistics fail, returns this error in `Ok`.
fn finish(
    request: Request<'_>,
    access: &Access,
    wanted: &Preparation,
    store: &mut MarkerStore,
    done: &[(u64, u64)],
    sessions: usize,
) -> Result<Option<Error>> {
    let Request { job, context } = request;
    let dialect = job.driver.dialect();
    let Scripts { tables, routines } = scripts(wanted, job.driver.as_ref())?;
    let missing = |step: &Step| done.iter().all(|(known, _)| *known != step.unit);
    let analyze = |table| dialect.analyze(std::slice::from_ref(table));
    let mut work: Vec<(u64, Finishing)> = Vec::new();
    for ((index, table), steps) in wanted.layout.tables.iter().enumerate().zip(tables) {
        let bytes = wanted.instance.expected_rows(index) * table.mean_row_bytes();
        let steps = steps.into_iter().filter(missing).collect();
        let finishing = Finishing { table: table.name, steps, analyze: analyze(table) };
        work.push((bytes, finishing));
    }
    work.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    let work: Vec<Finishing> = work.into_iter().map(|(_, finishing)| finishing).collect();
    let refusal = build::finish(request, &work, sessions, access.set)?;
    require_going_on(context)?;
    access.unless_stopped(context, async {
        for step in routines.iter().filter(|step| missing(step)) {
            build::make(store, step).await?;
        }
        Ok(refusal)
    })
}

/// Statements to run after the rows are loaded. Their unit numbers are higher than those used for rows.
struct Scripts {
    /// The statements that create each table's indexes.
    tables: Vec<Vec<Step>>,
    /// Statements that create stored routines and foreign keys, which require complete tables.
    routines: Vec<Step>,
}

fn scripts(wanted: &Preparation, driver: &dyn Driver) -> Result<Scripts> {
    let (dialect, separate) = (driver.dialect(), !driver.capabilities().transactional_ddl);
    let mut units = wanted.instance.units()..;
    let mut step = |what: String, sql: String, tables: &[&'static str]| {
        let unit = units.next().unwrap_or(u64::MAX);
        let tables = tables.to_vec();
        Step { unit, what, sql, tables, may_be_done: separate, is_separate: false, rows: 0 }
    };
    let mut tables = Vec::new();
    for table in &wanted.layout.tables {
        let indexes = table.indexes.iter().map(|index| {
            let sql = dialect.create_index(table, index);
            step(format!("create index {}", index.name), sql, &[table.name])
        });
        tables.push(indexes.collect());
    }
    let mut last = Vec::new();
    for table in &wanted.layout.tables {
        last.extend(table.references.iter().map(|reference| {
            let sql = dialect.add_reference(table, reference);
            let tables = [table.name, reference.table];
            step(format!("create foreign key {}", reference.name), sql, &tables)
        }));
    }
    let is_native = has_native_routines(&wanted.layout, dialect);
    let routines = (1..).zip(routines(&*wanted.instance, driver)?.create);
    last.extend(routines.map(|(number, sql)| {
        let step = step(format!("create routine {number}"), sql, &[]);
        Step { may_be_done: step.may_be_done || is_native, is_separate: is_native, ..step }
    }));
    Ok(Scripts { tables, routines: last })
}

/// Creates missing tables and records each of them in the marker. Returns an error if a table exists that Tacho
/// did not create.
async fn create_tables(job: &Job, store: &mut MarkerStore, wanted: &Preparation) -> Result<()> {
    let noted = store.noted().await?;
    let objects = store.exchange().inspector().objects().await?;
    let owned = owned(objects, &wanted.layout, &noted);
    require_ours(&owned, &job.target_text)?;
    for table in &wanted.layout.tables {
        if owned.tables.iter().any(|known| known.name == table.name) {
            continue;
        }
        if !noted.is_empty() {
            store.note_coming(&noted, table.name);
            store.exchange().send().await?;
        }
        let create = creation(job.driver.dialect(), table);
        store.exchange().session().script(&create).await?;
    }
    // Record all tables, even existing ones. An earlier build may have been killed after creating a table but before
    // recording it.
    note_tables(store, &wanted.layout.tables.iter().map(|table| table.name).collect::<Vec<_>>())
        .await
}

/// Returns the statement that creates a table. If the user provided a statement for it, returns that statement instead
/// of generating one.
fn creation(dialect: &dyn Dialect, table: &Table) -> String {
    table.ddl.clone().unwrap_or_else(|| dialect.create_table(table))
}

/// Prepares the embedded database for a run. If it is already prepared, does nothing and prints no message.
pub(crate) fn prepare_quietly(request: Request<'_>, listener: &mut dyn Listener) -> Result<()> {
    let job = request.job;
    let wanted = plan_prepare(job)?;
    let access = Access::new(job)?;
    let session = access.connect_or_create(request)?;
    if let Data::Ours(_, marker) = access.look(request, session)?
        && marker.state == MarkerState::Ready
    {
        return Ok(());
    }
    listener.note(&format!(
        "preparing {} in {}",
        job.workload.manifest().size(wanted.choices.scale),
        job.target.place
    ));
    prepare(request, listener).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_resumed_by_what_began_it_also_when_only_indexes_are_left() {
        let file = u64::from(u32::MAX >> 1);
        // In this build, units 0 to 9 load rows, and all further units create indexes.
        for (done, from_files, fits) in [
            (&[][..], true, true),
            (&[], false, true),
            (&[3, 11], false, true),
            (&[3, 11], true, false),
            (&[file, 11], true, true),
            (&[file], false, false),
        ] {
            let done: Vec<(u64, u64)> = done.iter().map(|unit| (*unit, 0)).collect();
            assert_eq!(require_one_source(&done, 10, from_files).is_ok(), fits, "{done:?}");
        }
    }
}
