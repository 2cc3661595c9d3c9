//! Removes exactly the objects that `prepare` created.

use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Result};
pub use tacho_driver::Removed;
use tacho_driver::{Dialect, Object, ObjectKind};
use tacho_store::Listener;
use tacho_workload::{Instance, Marker, MarkerStore, Routines};

use crate::access::{Access, Data, foreign};
use crate::job::{has_native_routines, routines};
use crate::lock_watch::LockWatch;
use crate::ownership::{Owned, owned, refusal};
use crate::stored_routines::is_known;
use crate::{Job, Request};

/// The objects that `clean` would remove for one table set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanPlan {
    /// The table set number, or 0 for the database named by the target.
    pub set: u32,
    /// The tables that would be removed, with the marker tables last. Tacho created all of them.
    pub tables: Vec<String>,
    /// The names of the stored routines that would be removed.
    pub routine_names: Vec<String>,
    /// The names of stored routines that are kept, because the user may have created them under Tacho's names.
    pub kept_routines: Vec<String>,
    /// The data marker, or `None` if there is nothing to remove.
    pub marker: Option<Marker>,
    /// The reason why it is uncertain that Tacho created the tables: it could recognize them only by their columns.
    /// It is `None` if Tacho certainly created them.
    pub weak: Option<&'static str>,
    /// The reasons why the objects cannot be removed; empty if all of them can.
    pub obstacles: Vec<String>,
}

/// Determines the objects to remove from each table set. Returns an error if Tacho did not create the tables.
pub fn plan_clean(request: Request<'_>) -> Result<Vec<CleanPlan>> {
    let job = request.job;
    job.require_data("clean")?;
    let plans = job.all_sets().map(|set| plan_set(request, set));
    let plans = plans.collect::<Result<Vec<CleanPlan>>>()?;
    Ok(plans.into_iter().filter(|plan| plan.marker.is_some()).collect())
}

fn plan_set(request: Request<'_>, set: u32) -> Result<CleanPlan> {
    let Request { job, context } = request;
    let access = Access::of(set)?;
    let session = match access.connect(request) {
        // There is nothing to remove. The table set may never have been created, or an interrupted `clean` may have
        // removed it.
        Err(error) if set > 0 && error.kind() == ErrorKind::Missing => {
            return Ok(CleanPlan::default());
        }
        connected => connected?,
    };
    match access.look(request, session)? {
        Data::Empty(_) => Ok(CleanPlan::default()),
        Data::Foreign(tables) => Err(foreign(ErrorKind::Auth, &job.target_text, &tables)
            .hint("Tacho never changes data that it did not create")),
        Data::Ours(mut store, marker) => access.unless_stopped(context, async {
            let found = inspect(job, &mut store, &marker).await?;
            store.into_session().close().await?;
            Ok(found.plan(set, &marker))
        }),
    }
}

/// The database objects that Tacho created, and the reasons why they cannot be removed.
struct Inspection {
    owned: Owned,
    /// The names of routines that are kept, because the user may have created them under Tacho's names.
    kept_routines: Vec<String>,
    /// True if the routines must be removed before the tables.
    holds_tables: bool,
    obstacles: Vec<String>,
}

impl Inspection {
    fn plan(&self, set: u32, marker: &Marker) -> CleanPlan {
        CleanPlan {
            set,
            tables: names(self.owned.tables.iter().chain(&self.owned.marker)),
            routine_names: names(&self.owned.routines),
            kept_routines: self.kept_routines.clone(),
            marker: Some(marker.clone()),
            weak: self.owned.weak,
            obstacles: self.obstacles.clone(),
        }
    }

    fn routines(&self) -> Vec<String> {
        self.owned.routines.iter().map(|routine| routine.drop.clone()).collect()
    }

    /// Returns the statements that remove all objects. Routines come before the tables if the tables depend on them,
    /// or if one transaction removes everything. Otherwise, they come after the tables. The marker comes last.
    fn script(&self, dialect: &dyn Dialect, in_transaction: bool) -> Vec<String> {
        // Remove the tables in reverse order, because later tables may reference earlier ones.
        let tables: Vec<&Object> = self.owned.tables.iter().rev().collect();
        let mut script = dialect.removal(&tables);
        let at = if in_transaction || self.holds_tables { 0 } else { script.len() };
        script.splice(at..at, self.routines());
        script.extend(dialect.removal(&self.owned.marker.iter().collect::<Vec<&Object>>()));
        script
    }
}

fn names<'a>(objects: impl IntoIterator<Item = &'a Object>) -> Vec<String> {
    objects.into_iter().map(|object| object.name.clone()).collect()
}

async fn inspect(job: &Job, store: &mut MarkerStore, marker: &Marker) -> Result<Inspection> {
    let (instance, dialect) = (instance(marker, job)?, job.driver.dialect());
    let noted = store.noted().await?;
    let session = store.exchange().session();
    let layout = instance.layout(dialect)?;
    let holds_tables = has_native_routines(&layout, dialect);
    let objects = session.inspector().objects().await?;
    let (made, kept_routines) = if noted.is_empty() {
        recognize_unnoted(&objects, &routines(&*instance, &*job.driver)?, dialect)
    } else {
        Default::default()
    };
    let mut owned = owned(objects, &layout, &noted);
    owned.routines.extend(made);
    let mut obstacles = owned.foreign.clone();
    let tables: Vec<&Object> = owned.tables.iter().chain(&owned.marker).collect();
    obstacles.extend(session.inspector().obstacles(&tables).await?);
    Ok(Inspection { owned, kept_routines, holds_tables, obstacles })
}

/// Finds Tacho's routines if the marker does not list any. Also returns the names of routines whose text is not
/// Tacho's.
fn recognize_unnoted(
    objects: &[Object],
    known: &Routines,
    dialect: &dyn Dialect,
) -> (Vec<Object>, Vec<String>) {
    let is_named = |object: &&Object| {
        let mut words = known
            .drop
            .iter()
            .flat_map(|drop| drop.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
        object.kind == ObjectKind::Routine && words.any(|word| word == object.name)
    };
    let is_made = |object: &&Object| is_known(object, known, dialect);
    let (made, other): (Vec<&Object>, Vec<&Object>) =
        objects.iter().filter(is_named).partition(is_made);
    let mut kept = names(other);
    // Routines with different parameters may have the same name.
    kept.dedup();
    (made.into_iter().cloned().collect(), kept)
}

impl CleanPlan {
    /// Returns the names of all objects that would be removed, for use in a message.
    pub fn all(&self) -> String {
        let mut names = self.tables.clone();
        names.extend(self.routine_names.iter().map(|name| format!("routine {name}")));
        names.join(", ")
    }

    /// Returns an error that lists all obstacles unless everything can be removed.
    pub fn require_possible(&self, target: &str) -> Result<()> {
        if self.obstacles.is_empty() {
            return Ok(());
        }
        Err(refusal(target, "nothing was removed", &self.obstacles).hint(
            "remove or rename these objects with the database's own client, then repeat the \
                command",
        ))
    }
}

/// Removes the objects in a plan if it is possible to remove all of them. The marker is removed last, so that the
/// command can be repeated after an interruption.
pub fn clean(request: Request<'_>, plan: &CleanPlan, listener: &mut dyn Listener) -> Result<()> {
    let Request { job, context } = request;
    let access = Access::of(plan.set)?;
    let session = access.connect(request)?;
    // Inspect the database again, because it may have changed since the plan was created.
    let (mut store, marker) = match access.look(request, session)? {
        Data::Ours(store, marker) => (store, marker),
        Data::Empty(_) | Data::Foreign(_) => return Err(changed(job)),
    };
    let remove = async {
        remove(job, &mut store, plan, &marker).await?;
        let mut session = store.into_session();
        if plan.set > 0 {
            session.drop_set().await?;
        }
        session.close().await
    };
    let mut watch = LockWatch::new(request, plan.set);
    watch.during(listener, || access.unless_stopped(context, remove))
}

/// Returns true if all of the data can be removed in a single transaction.
fn is_in_transaction(job: &Job, marker: &Marker) -> Result<bool> {
    let dialect = job.driver.dialect();
    let layout = instance(marker, job)?.layout(dialect)?;
    let can = layout.tables.iter().all(|table| dialect.has_transactional_ddl(&table.storage));
    Ok(job.driver.capabilities().transactional_ddl && can)
}

async fn remove(
    job: &Job,
    store: &mut MarkerStore,
    plan: &CleanPlan,
    marker: &Marker,
) -> Result<()> {
    let in_transaction = is_in_transaction(job, marker)?;
    if in_transaction {
        store.exchange().begin(tacho_driver::Access::Write);
        store.exchange().send().await?;
    }
    let found = inspect(job, store, marker).await?;
    let now = found.plan(plan.set, marker);
    now.require_possible(&job.target_text)?;
    if now != *plan {
        return Err(changed(job));
    }
    for statement in found.script(job.driver.dialect(), in_transaction) {
        let removed = store.exchange().session().script(&statement).await;
        removed.map_err(|error| {
            if in_transaction {
                error.during("remove any data")
            } else {
                error.during("remove the data").hint("repeat the command to remove the rest")
            }
        })?;
    }
    if in_transaction {
        store.exchange().commit();
        store.exchange().send().await?;
    }
    Ok(())
}

fn changed(job: &Job) -> Error {
    let text = format!("{} has changed since it was inspected", job.target_text);
    Error::new(ErrorKind::Other, text).during("remove any data").hint("repeat the command")
}

/// Removes an existing table set so that it can be created again.
pub(crate) fn again(request: Request<'_>, set: u32, listener: &mut dyn Listener) -> Result<()> {
    let job = request.job;
    let plan = plan_set(request, set)?;
    plan.require_possible(&job.target_text)?;
    clean(request, &plan, listener)
}

/// Removes the target's database if it is empty. If the user is an administrator, also removes the role. Returns
/// `None` if the target has no database on a server.
pub fn remove_database(request: Request<'_>) -> Result<Option<Removed>> {
    let Request { job, context } = request;
    Access::new(job)?.unless_stopped(context, job.driver.remove(&job.target))
}

/// Returns an instance of the workload that created the data.
fn instance(marker: &Marker, job: &Job) -> Result<Arc<dyn Instance>> {
    let workload = if job.workload.manifest().id == marker.workload {
        Arc::clone(&job.workload)
    } else {
        tacho_registry::recorded_workload(&marker.workload).map_err(|error| {
            error.hint(format!("specify the folder that contains the workload {}", marker.workload))
        })?
    };
    // Data from an earlier version may have parameters that no longer exist.
    let derived = workload.derived_parameters();
    let known = |key: &String| {
        let is_parameter = workload.parameters().iter().any(|parameter| parameter.key == key);
        is_parameter && !derived.contains(&key.as_str())
    };
    let mut set = marker.set.clone();
    set.retain(|key, _| known(key));
    workload.instance(&tacho_workload::Choices {
        scale: marker.scale,
        data_seed: marker.seed,
        seed: marker.seed,
        loaded_at: marker.loaded_at,
        profile: marker.profile.clone(),
        set,
        form: tacho_driver::Form::Sql,
        sessions: 1,
        dialect: job.driver.dialect().id().to_owned(),
        sets: 1,
        turn: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_routine_without_an_entry_is_recognized_by_its_text() {
        let routine = |name: &str, text: &str| Object {
            kind: ObjectKind::Routine,
            name: name.into(),
            schema: String::new(),
            identity: String::new(),
            shape: vec![text.into()],
            drop: format!("DROP PROCEDURE {name}"),
        };
        let known = Routines {
            create: vec!["CREATE PROCEDURE payment()\n  SELECT 1".into()],
            drop: ["payment", "slev", "ostat"]
                .map(|name| format!("DROP PROCEDURE IF EXISTS {name}(int)"))
                .into(),
        };
        let driver = tacho_registry::driver("mysql").expect("a driver");
        let dialect = driver.dialect();
        let objects = [
            routine("payment", "SELECT  1"),
            routine("slev", "SELECT 4711"),
            routine("ostat", ""),
            routine("own", "SELECT 1"),
        ];
        let (made, kept) = recognize_unnoted(&objects, &known, dialect);
        assert_eq!(names(&made), ["payment"]);
        assert_eq!(kept, ["slev", "ostat"]);
        // A user's procedure that happens to have the same name as one of Tacho's routines.
        let (made, kept) = recognize_unnoted(&[routine("payment", "SELECT 4711")], &known, dialect);
        assert_eq!((made.len(), kept), (0, vec!["payment".to_owned()]));
    }
}
