//! Recognizes workload tables that another tool created, which have no marker. Compares names, columns and stored
//! routines.
//!
//! Start reading at [`recognise`].

use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Result, Table};
use tacho_driver::{
    Access as TransactionAccess, Catalog, Exchange, Form, Object, ObjectKind, StatementId,
    parse_sections,
};
use tacho_store::Listener;
use tacho_workload::{Check, Choices, Instance, Marker, MarkerState, MarkerStore};

use crate::access::{Access, Data, data_parameters};
use crate::job::Adopted;
use crate::lock_watch::LockWatch;
use crate::{Job, Request};

const ROWS: &str = include_str!("../sql/rows.sql");

/// The objects that another tool creates for a workload.
#[derive(Clone, Copy, Debug)]
pub struct Theirs<'a> {
    /// The tables. Each table comes after the tables that it references.
    pub tables: &'a [&'a str],
    /// A workload setting, as `key=value`, with which the workload uses these table names; empty if none is needed.
    pub spelling: &'a str,
    /// The stored routines. Either all of them exist or none do.
    pub routines: &'a [&'a str],
    /// Other routines that the stored routines may call.
    pub helpers: &'a [&'a str],
    /// Workload settings, as `key=value`, that are tried in order until the routines can be called.
    pub ways: &'a [&'a str],
}

/// Recognizes another tool's tables for the workload. Returns `None` unless all names and columns match.
pub fn recognise(request: Request<'_>, theirs: &Theirs<'_>) -> Result<Option<Adopted>> {
    let Request { job, context } = request;
    let access = Access::new(job)?;
    match access.look(request, access.connect(request)?)? {
        Data::Foreign(found) if is_subset(theirs.tables, &found) => {}
        Data::Foreign(_) => return Ok(None),
        Data::Empty(session) => {
            return access.unless_stopped(context, session.close()).map(|()| None);
        }
        Data::Ours(store, _) => {
            return access.unless_stopped(context, store.into_session().close()).map(|()| None);
        }
    }
    let mut session = access.connect(request)?;
    let objects = access.unless_stopped(context, session.inspector().objects())?;
    access.unless_stopped(context, session.close())?;
    let instance = job.workload.instance(&chosen(job, theirs, None)?)?;
    let tables =
        instance.schema().tables.iter().filter(|table| theirs.tables.contains(&table.name));
    if !tables.into_iter().all(|table| has_columns(&objects, table)) {
        return Ok(None);
    }
    let request = Request { job, context };
    let Some(scale) = scale(request, &access, theirs)? else { return Ok(None) };
    let mut routines = None;
    if !theirs.routines.is_empty() && theirs.routines.iter().all(|name| is_there(&objects, name)) {
        for way in theirs.ways {
            if routines.is_none() && can_call(request, &access, theirs, way)? {
                routines = Some((*way).to_owned());
            }
        }
    }
    let marker = marker(job, scale, theirs, routines.as_deref())?;
    let tables = theirs.tables.iter().map(|table| (*table).to_owned()).collect();
    let scale = job.workload.manifest().scale_text(scale);
    Ok(Some(Adopted { marker, tables, routines, scale }))
}

/// Recognizes another tool's tables, using the names and columns in the job's profile. Returns an error if there
/// are no such tables.
pub fn adopt(request: Request<'_>) -> Result<Adopted> {
    let job = request.job;
    let instance = job.workload.instance(&job.choices(None)?)?;
    let names: Vec<&str> = instance.schema().tables.iter().map(|table| table.name).collect();
    let theirs = Theirs { tables: &names, spelling: "", routines: &[], helpers: &[], ways: &[] };
    recognise(request, &theirs)?.ok_or_else(|| {
        let (target, names) = (&job.target_text, names.join(", "));
        Error::new(
            ErrorKind::Missing,
            format!("{target} does not contain the other tool's tables: {names}"),
        )
        .hint("set --adopt to the tool that created the tables; tacho describe lists the profiles")
        .hint("or omit --adopt if Tacho created the data")
    })
}

/// Skips checks that are valid only for data that Tacho loaded. If another tool loaded the data, its seed is unknown,
/// and the tool may have followed different rules.
pub(crate) fn excuse_samples(checks: &mut [Check]) {
    for check in checks {
        let reason = match (check.samples.is_empty(), check.by_loader) {
            (false, _) => "another tool loaded the rows, so their seed is unknown",
            (true, true) => "another tool loaded the rows and may have followed different rules",
            (true, false) => continue,
        };
        check.excused = Some(reason.into());
    }
}

fn is_subset(names: &[&str], found: &[String]) -> bool {
    names.iter().all(|name| found.iter().any(|table| table.eq_ignore_ascii_case(name)))
}

/// Returns true if a table has every column that the workload expects.
fn has_columns(objects: &[Object], table: &Table) -> bool {
    let Some(found) = objects.iter().find(|object| is_table(object, table.name)) else {
        return false;
    };
    let has = |name: &str| found.columns().any(|column| column == name);
    table.columns.iter().all(|column| has(column.name))
}

/// Returns true if the object is a table with exactly this name. The object's own name may not preserve upper and
/// lower case, so the name is also looked up in the DROP statement.
fn is_table(object: &Object, name: &str) -> bool {
    object.kind == ObjectKind::Table
        && object.name.eq_ignore_ascii_case(name)
        && object.drop.contains(name)
}

fn is_there(objects: &[Object], routine: &str) -> bool {
    objects.iter().any(|object| is_routine(object, routine))
}

fn is_routine(object: &Object, name: &str) -> bool {
    object.kind == ObjectKind::Routine && object.name.eq_ignore_ascii_case(name)
}

/// Derives the scale from the row count of the smallest table that grows with the scale. Returns `None` if no
/// scale matches.
fn scale(
    Request { job, context }: Request<'_>,
    access: &Access,
    theirs: &Theirs<'_>,
) -> Result<Option<u64>> {
    let manifest = job.workload.manifest();
    let base = manifest.scale_steps;
    let of = |scale: u64| {
        let instance = job.workload.instance(&Choices { scale, ..chosen(job, theirs, None)? })?;
        Ok::<_, Error>(instance)
    };
    let (one, two) = (of(base)?, of(2 * base)?);
    let rows = |instance: &Arc<dyn Instance>, at: usize| instance.expected_rows(at);
    let grows = |at: &usize| rows(&two, *at) == 2 * rows(&one, *at) && rows(&one, *at) > 0;
    let tables = &one.schema().tables;
    let Some(at) = (0..tables.len()).filter(grows).min_by_key(|at| rows(&one, *at)) else {
        return Ok(None);
    };
    let found = count(Request { job, context }, access, tables[at].name)?;
    let (steps, each) = (found * base, rows(&one, at));
    Ok((found > 0 && steps.is_multiple_of(each)).then(|| steps / each))
}

fn count(request: Request<'_>, access: &Access, table: &str) -> Result<u64> {
    let Request { job, context } = request;
    let sections = parse_sections(&ROWS.replace("@table@", table))?;
    let catalog = Arc::new(Catalog::build(job.driver.dialect(), &["rows"], &[sections])?);
    let session = access.connect(request)?;
    access.unless_stopped(context, async {
        let mut exchange = Exchange::new(session, catalog, Form::Sql).await?;
        exchange.execute(StatementId(0));
        let found = exchange.send().await?.one(0)?.number(0)?;
        exchange.into_session().close().await?;
        Ok(u64::try_from(found).unwrap_or(0))
    })
}

/// Returns `Ok` if the error means that the database rejected the statement itself, for example because of an unknown
/// name. Returns any other error, such as a lost connection.
fn refused(error: Error) -> Result<()> {
    let other = matches!(
        error.kind(),
        ErrorKind::Connect
            | ErrorKind::Auth
            | ErrorKind::Timeout
            | ErrorKind::LockTimeout
            | ErrorKind::Cancelled
    );
    if other || error.native_code().is_none() { Err(error) } else { Ok(()) }
}

/// Returns true if the server accepts calls to the stored routines with this workload setting.
fn can_call(
    Request { job, context }: Request<'_>,
    access: &Access,
    theirs: &Theirs<'_>,
    way: &str,
) -> Result<bool> {
    let choices = Choices { form: Form::Procedures, ..chosen(job, theirs, Some(way))? };
    let instance = job.workload.instance(&choices)?;
    let catalog = instance.catalog(job.driver.dialect())?;
    let session = access.connect(Request { job, context })?;
    access.unless_stopped(context, async {
        match Exchange::new(session, catalog, Form::Procedures).await {
            Ok(exchange) => exchange.into_session().close().await.map(|()| true),
            Err(error) => refused(error).map(|()| false),
        }
    })
}

/// Returns the job's workload options, with the settings that are needed to use the other tool's tables.
fn chosen(job: &Job, theirs: &Theirs<'_>, way: Option<&str>) -> Result<Choices> {
    let mut choices = job.choices(None)?;
    let settings = std::iter::once(theirs.spelling).chain(way);
    for (key, value) in settings.filter_map(|setting| setting.split_once('=')) {
        choices.set.insert(key.to_owned(), value.to_owned());
    }
    Ok(choices)
}

/// Returns the marker that Tacho would have written if it had created the tables itself.
fn marker(job: &Job, scale: u64, theirs: &Theirs<'_>, way: Option<&str>) -> Result<Marker> {
    let choices = Choices { scale, ..chosen(job, theirs, way)? };
    let instance = job.workload.instance(&choices)?;
    let manifest = job.workload.manifest();
    Ok(Marker {
        workload: manifest.id.into(),
        version: manifest.version,
        scale,
        profile: choices.profile,
        set: data_parameters(job, instance.as_ref()),
        seed: choices.data_seed,
        loaded_at: choices.loaded_at,
        state: MarkerState::Ready,
        runs: 0,
    })
}

/// Removes recognized tables and their stored routines. Removes nothing if another object depends on them.
pub fn remove_adopted(
    request: Request<'_>,
    adopted: &Adopted,
    theirs: &Theirs<'_>,
    listener: &mut dyn Listener,
) -> Result<()> {
    let Request { job, context } = request;
    let access = Access::new(job)?;
    let session = access.connect(request)?;
    let remove = async {
        let mut store = MarkerStore::adopted(session, job.driver.dialect()).await?;
        remove(job, &mut store, adopted, theirs).await?;
        store.into_session().close().await
    };
    let mut watch = LockWatch::new(request, access.set);
    watch.during(listener, || access.unless_stopped(context, remove))
}

async fn remove(
    job: &Job,
    store: &mut MarkerStore,
    adopted: &Adopted,
    theirs: &Theirs<'_>,
) -> Result<()> {
    let dialect = job.driver.dialect();
    let objects = store.exchange().inspector().objects().await?;
    let named = |name: &String| objects.iter().find(|object| is_table(object, name));
    // Remove the tables in reverse order, because later tables may reference earlier ones.
    let tables: Vec<&Object> = adopted.tables.iter().rev().filter_map(named).collect();
    let obstacles = store.exchange().inspector().obstacles(&tables).await?;
    if !obstacles.is_empty() {
        let text = format!("nothing was removed: {}", obstacles.join("; "));
        return Err(Error::new(ErrorKind::Constraint, text)
            .hint("remove these objects with the database's own client, then repeat the command"));
    }
    let all = theirs.routines.iter().chain(theirs.helpers);
    let ours = |object: &&Object| all.clone().any(|name| is_routine(object, name));
    let mut script: Vec<String> =
        objects.iter().filter(ours).map(|routine| routine.drop.clone()).collect();
    script.extend(dialect.removal(&tables));
    let in_transaction = job.driver.capabilities().transactional_ddl;
    if in_transaction {
        store.exchange().begin(TransactionAccess::Write);
        store.exchange().send().await?;
    }
    for statement in script {
        store.exchange().session().script(&statement).await?;
    }
    if in_transaction {
        store.exchange().commit();
        store.exchange().send().await?;
    }
    Ok(())
}
