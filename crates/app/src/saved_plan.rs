//! The plan of a saved run, so that it can be repeated.

use tacho_config::Plan;
use tacho_core::Result;

use crate::Context;

/// The plan of the run that `selector` names, and the run's id. A password that was part of the target is
/// not in it: the environment, a password file or a named target has it.
pub fn saved_plan(context: &Context, selector: &str) -> Result<(Plan, String)> {
    let record = context.store().find(selector)?.record;
    let own = &record.plan;
    let mut plan = own.plan();
    if own.target_name != own.driver {
        plan.data.target = Some(own.target_name.clone());
    }
    (plan.tags, plan.note) = (record.tags, record.note);
    Ok((plan, record.id))
}
