//! Removing what prepare made, and nothing else.

use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Result};
pub use tacho_driver::Removed;
use tacho_workload::{Instance, Marker, MarkerStore};

use crate::access::{Access, Data, shortened};
use crate::lock_watch::LockWatch;
use crate::{Context, Job, Progress};

/// What `clean` would remove of one set of tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanPlan {
    /// Which set; 0 for the place itself that the target names.
    pub set: u32,
    /// The tables that would go, all made by us.
    pub tables: Vec<String>,
    /// Scripts that remove our stored routines.
    pub routines: Vec<String>,
    /// What the marker says of them; absent if there is nothing to remove.
    pub marker: Option<Marker>,
}

/// Looks at what there is to remove, set by set. Tables that are not ours are an error.
pub fn plan_clean(job: &Job, context: &Context) -> Result<Vec<CleanPlan>> {
    let plans = job.all_sets().map(|set| plan_set(job, context, set));
    let plans = plans.collect::<Result<Vec<CleanPlan>>>()?;
    Ok(plans.into_iter().filter(|plan| plan.marker.is_some()).collect())
}

fn plan_set(job: &Job, context: &Context, set: u32) -> Result<CleanPlan> {
    let access = Access::of(set)?;
    let session = match access.connect(job, context) {
        // A set that was never begun, or is gone with a clean that was stopped.
        Err(error) if set > 0 && error.kind() == ErrorKind::Missing => {
            return Ok(CleanPlan::default());
        }
        connected => connected?,
    };
    match access.look(job, session)? {
        Data::Empty(_) => Ok(CleanPlan::default()),
        Data::Foreign(tables) => Err(Error::new(
            ErrorKind::Auth,
            format!(
                "{} holds tables that Tacho did not make ({})",
                job.target_text,
                shortened(&tables)
            ),
        )
        .hint("data that is not ours is never touched")),
        Data::Ours(store, marker) => {
            let mut session = store.into_session();
            let there = access.event_loop.block_on(session.tables())?;
            let instance = instance(&marker)?;
            let tables = instance.schema().tables.iter().map(|table| table.name.to_owned());
            let tables = tables.filter(|table| there.contains(table)).collect();
            let routines = instance.routines(job.driver.dialect())?.drop;
            Ok(CleanPlan { set, tables, routines, marker: Some(marker) })
        }
    }
}

/// Removes the tables of a plan, the marker last, so that a killed clean can be repeated.
pub fn clean(
    job: &Job,
    context: &Context,
    plan: &CleanPlan,
    progress: &mut dyn Progress,
) -> Result<()> {
    let access = Access::of(plan.set)?;
    let mut session = access.connect(job, context)?;
    let dialect = job.driver.dialect();
    let mut script = plan.routines.clone();
    // Last made, first removed: a table may refer to those before it.
    script.extend(plan.tables.iter().rev().map(|table| dialect.drop_table(table)));
    script.push(MarkerStore::drop_script(dialect));
    let remove = async {
        for statement in script {
            session.script(&statement).await?;
        }
        if plan.set > 0 {
            session.drop_set().await?;
        }
        session.close().await
    };
    let mut watch = LockWatch::new(job, context, plan.set);
    watch.during(progress, || access.unless_stopped(context, remove))
}

/// Removes a set of tables that is there, so that it can be made anew.
pub(crate) fn again(
    job: &Job,
    context: &Context,
    set: u32,
    progress: &mut dyn Progress,
) -> Result<()> {
    clean(job, context, &plan_set(job, context, set)?, progress)
}

/// Removes the database that the target names, and its role where the target names an administrator,
/// if nothing is left in them. `None` where a target is no database of a server.
pub fn remove_database(job: &Job) -> Result<Option<Removed>> {
    Access::new(job)?.event_loop.block_on(job.driver.remove(&job.target))
}

/// The workload that made the data.
fn instance(marker: &Marker) -> Result<Arc<dyn Instance>> {
    let workload = tacho_registry::workload(&marker.workload)?;
    // Data of an earlier version may have parameters that no longer exist.
    let known = |key: &String| workload.parameters().iter().any(|parameter| parameter.key == key);
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
        dialect: String::new(),
        sets: 1,
    })
}
