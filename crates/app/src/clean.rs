//! Removing what prepare made, and nothing else.

use tacho_core::{Error, Result};
use tacho_workload::{Marker, MarkerStore};

use crate::access::{Access, Data, shortened};
use crate::{Context, Job};

/// What `clean` would remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanPlan {
    /// The tables that would go, all made by us.
    pub tables: Vec<String>,
    /// What the marker says of them; absent if there is nothing to remove.
    pub marker: Option<Marker>,
}

/// Looks at what there is to remove. Tables that are not ours are an error.
pub fn plan_clean(job: &Job, context: &Context) -> Result<CleanPlan> {
    let access = Access::new()?;
    let session = access.connect(job, context)?;
    match access.look(job, session)? {
        Data::Empty(_) => Ok(CleanPlan { tables: Vec::new(), marker: None }),
        Data::Foreign(tables) => Err(Error::new(
            tacho_core::ErrorKind::Auth,
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
            let tables = ours(&marker)?;
            let tables = tables.into_iter().filter(|table| there.contains(table)).collect();
            Ok(CleanPlan { tables, marker: Some(marker) })
        }
    }
}

/// Removes the tables of a plan, the marker last, so that a killed clean can be repeated.
pub fn clean(job: &Job, context: &Context, plan: &CleanPlan) -> Result<()> {
    let access = Access::new()?;
    let mut session = access.connect(job, context)?;
    let dialect = job.driver.dialect();
    let mut script: Vec<String> =
        plan.tables.iter().map(|table| dialect.drop_table(table)).collect();
    script.push(MarkerStore::drop_script(dialect));
    access.event_loop.block_on(async {
        for statement in script {
            session.script(&statement).await?;
        }
        session.close().await
    })
}

/// Names of the tables that the marker's workload has.
fn ours(marker: &Marker) -> Result<Vec<String>> {
    let workload = tacho_registry::workload(&marker.workload)?;
    let choices = tacho_workload::Choices {
        scale: marker.scale,
        data_seed: marker.seed,
        seed: marker.seed,
        loaded_at: marker.loaded_at,
        profile: marker.profile.clone(),
        set: marker.set.clone(),
        form: tacho_driver::Form::Sql,
        sessions: 1,
    };
    let instance = workload.instance(&choices)?;
    Ok(instance.schema().tables.iter().map(|table| table.name.to_owned()).collect())
}
