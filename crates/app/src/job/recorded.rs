//! Applies the settings of a recorded load to a job. The log of the load determines the sessions, the statement form
//! and the times.

use tacho_config::RetryInput;
use tacho_core::{Error, Result};
use tacho_workload::Recorded;

use super::Job;
use crate::Context;

/// Reads the log of a recorded load and applies its settings to the job.
///
/// # Errors
/// Returns a usage error if the plan requests different settings.
pub(super) fn fit(job: &mut Job, context: &Context) -> Result<()> {
    let Some(form) = job.workload.only_form() else { return Ok(()) };
    let plan = &mut job.resolved.plan;
    if plan.data.form != form && job.resolved.is_given("form") {
        let text = format!(
            "workload {} supports only the {} form",
            job.workload.manifest().id,
            form.word()
        );
        return Err(Error::usage(text).hint("omit --form"));
    }
    job.resolved.plan.data.form = form;
    let mut read = |read, all| {
        (context.reading)(read, all);
        !context.interrupted()
    };
    let Some(recorded) = job.workload.read_log(&job.choices(None)?, &mut read)? else {
        return Ok(());
    };
    require_as_recorded(job, recorded)?;
    job.resolved.plan.load.sessions = recorded.sessions;
    Ok(())
}

/// Rejects settings that would change the recorded load.
fn require_as_recorded(job: &Job, recorded: Recorded) -> Result<()> {
    let (plan, given) = (&job.resolved.plan, |key: &str| job.resolved.is_given(key));
    let sessions = recorded.sessions;
    let refused = [
        (
            given("sessions") && plan.load.sessions != sessions,
            "a number of sessions",
            "omit --sessions",
        ),
        (
            plan.load.arrival.rate.is_some(),
            "a rate",
            "omit --rate; use --set speed=2 to replay faster",
        ),
        (
            plan.load.pacing > 0.0,
            "a pacing factor",
            "omit --pacing; use --set speed=2 to replay faster",
        ),
        (plan.steps.is_some(), "a stepped load", "omit --load"),
        (
            plan.load.retry.input != RetryInput::None,
            "retrying",
            "omit --retry: each statement is sent only once",
        ),
        (
            !plan.data.routes.is_empty(),
            "a route",
            "omit --route: each session has only one connection",
        ),
        (plan.data.sets > 1, "a number of sets", "omit --sets"),
    ];
    for (is_given, what, hint) in refused {
        if is_given {
            let text = format!(
                "{what} is not supported: a replay uses the sessions ({sessions}) and times \
                    in its log"
            );
            return Err(Error::usage(text).hint(hint));
        }
    }
    Ok(())
}
