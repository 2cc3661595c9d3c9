//! The plan of a saved run, which can be used to repeat the run.

use tacho_config::Plan;
use tacho_core::Result;

use crate::Context;

/// Returns the plan and the ID of the run that `selector` names. Plans contain no password.
pub fn saved_plan(context: &Context, selector: &str) -> Result<(Plan, String)> {
    let record = context.store().find(selector)?.record;
    let saved = &record.plan;
    let mut plan = saved.plan();
    if saved.target_name != saved.driver {
        plan.data.target = Some(saved.target_name.clone());
    }
    (plan.tags, plan.note) = (record.tags, record.note);
    Ok((plan, record.id))
}
