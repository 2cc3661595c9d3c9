//! The first stage of a run, which determines everything that does not depend on the database.
//!
//! Start reading at [`plan`].

use std::sync::Arc;

use tacho_config::{LogPlan, Verify};
use tacho_core::units::{counted, span};
use tacho_core::{Error, ErrorKind, Result, Seed};
use tacho_driver::Scheduling;
use tacho_engine::{LoadPlan, Routes, Stop};
use tacho_workload::{Choices, Instance};

use super::acknowledged;
use super::faults::Faults;
use super::isolation;
use super::load_plan::load_plan;
use super::routes::routes;
use super::series::{own_kinds, stated};
use super::thresholds::Threshold;
use crate::cluster::{require_broker, require_sharable};
use crate::{Job, Request};

/// The load and the workload instance.
#[derive(Clone)]
pub(super) struct Selection {
    pub(super) load: LoadPlan,
    /// The options with which `instance` was created.
    pub(super) choices: Choices,
    pub(super) instance: Arc<dyn Instance>,
}

/// A run for which the database has not been opened yet.
pub(super) struct Planned {
    /// The choices that do not depend on the loaded data. Its scale, profile and parameters are not known yet.
    pub(super) draft: Selection,
    /// The targets of transaction types that are not sent to the run's own target, if there are any.
    pub(super) routes: Option<Arc<Routes>>,
    /// The seed for the run's id and its commit marks.
    pub(super) seed: Seed,
    pub(super) virtual_time: bool,
}

/// Plans a run.
///
/// # Errors
/// Returns a usage error if the workload, driver or hosts do not support the request.
pub(super) fn plan(request: Request<'_>) -> Result<Planned> {
    let planned = draft(request.job)?;
    require_supported(request, &planned.draft)?;
    Ok(planned)
}

/// Determines a run's choices, load, thresholds and routes without inspecting the machine.
pub(super) fn draft(job: &Job) -> Result<Planned> {
    let choices = job.choices(None)?;
    let instance = job.workload.instance(&choices)?;
    let load = load_plan(&job.resolved, instance.as_ref())?;
    thresholds(job, instance.as_ref())?;
    let routes = routes(job, instance.as_ref())?.map(Arc::new);
    Ok(Planned {
        draft: Selection { load, choices, instance },
        routes,
        seed: Seed(tacho_collect::wall_clock().as_nanos() as u64),
        virtual_time: job.driver.scheduling() == Scheduling::Virtual,
    })
}

/// Returns an error if the driver, workload or hosts do not support something that the run needs.
fn require_supported(request: Request<'_>, draft: &Selection) -> Result<()> {
    let job = request.job;
    let (instance, sessions) = (draft.instance.as_ref(), draft.load.sessions);
    job.driver.capabilities().require(job.resolved.plan.data.form, job.driver.manifest().title)?;
    Faults::of(request)?;
    acknowledged::require_verifiable(job, instance)?;
    isolation::require_checkable(job, instance)?;
    instance.session_script(job.driver.dialect())?;
    job.resolved.plan.tags.iter().try_for_each(|tag| tacho_store::check_tag(tag))?;
    if job.embedded && job.workload.without_data().is_some() {
        let text = format!("workload {} requires a target", job.workload.manifest().id);
        return Err(Error::usage(text).hint(tacho_registry::target_hint()));
    }
    require_loggable(job)?;
    require_reconnectable(job, draft)?;
    require_work_in_every_set(job, sessions)?;
    require_broker(job)?;
    if job.wanted.is_some() { require_sharable(job, sessions) } else { Ok(()) }
}

/// Returns an error if each transaction is to use a new connection, but something else depends on the old ones.
fn require_reconnectable(job: &Job, draft: &Selection) -> Result<()> {
    let (plan, instance) = (&job.resolved.plan, draft.instance.as_ref());
    let reason = if !plan.data.routes.is_empty() {
        "--route"
    } else if plan.judgement.verify != Verify::None {
        "--verify commits"
    } else if instance.streams().is_some() || draft.load.stop == Stop::Done {
        "query streams or a fixed amount of work"
    } else if instance.recorded().is_some() {
        "a replay"
    } else {
        return Ok(());
    };
    if !draft.load.reconnect {
        return Ok(());
    }
    let text = format!("--reconnect cannot be combined with {reason}");
    Err(Error::usage(text).hint("use --reconnect no").of_setting("reconnect"))
}

/// Returns an error if the settings of the log exclude each other, or if other hosts run the sessions.
fn require_loggable(job: &Job) -> Result<()> {
    let LogPlan { file, interval, sample } = &job.resolved.plan.log;
    let is_sampled = *sample < 1.0;
    if file.is_none() && (is_sampled || !interval.is_zero()) {
        let key = if is_sampled { "log_sample" } else { "log_interval" };
        return Err(Error::usage("there is no log").hint("use --log FILE as well").of_setting(key));
    }
    if is_sampled && !interval.is_zero() {
        let text = "--log-sample and --log-interval exclude each other";
        return Err(Error::usage(text)
            .hint("sums require all transactions")
            .of_setting("log_sample"));
    }
    if interval.subsec_nanos() > 0 {
        let text = format!("invalid log interval {}: expected whole seconds", span(*interval));
        return Err(Error::usage(text).hint("use --log-interval 1s").of_setting("log_interval"));
    }
    if file.is_some() && job.wanted.is_some() {
        let text = "--log is not supported with load hosts";
        return Err(Error::new(ErrorKind::Unsupported, text)
            .hint("run the sessions on this host, or use --session-times yes"));
    }
    Ok(())
}

/// Returns an error if there are fewer sessions than table sets, because some sets would not be measured.
fn require_work_in_every_set(job: &Job, sessions: u32) -> Result<()> {
    let sets = job.sets();
    if sessions >= sets {
        return Ok(());
    }
    let (sessions, count) =
        (counted(sessions.into(), "session"), counted(sets.into(), "table set"));
    let text = format!("not enough sessions: {sessions} for {count}");
    Err(Error::usage(text).during("start run").hint(format!("use --sessions {sets} or more")))
}

/// Parses the thresholds, which may name the workload's transactions and headline metric.
pub(super) fn thresholds(job: &Job, instance: &dyn Instance) -> Result<Vec<Threshold>> {
    let names: Vec<&str> = own_kinds(instance).iter().map(|kind| kind.name).collect();
    let headline = stated(instance).map(|headline| headline.name);
    let texts = &job.resolved.plan.judgement.thresholds;
    texts.iter().map(|text| Threshold::parse(text, &names, headline)).collect()
}
