//! Loads in which terminals share the sessions.
//!
//! Start reading at [`require`] and [`record`].

use tacho_config::{LoadPlan, LoadSteps, Resolved};
use tacho_core::units::{counted, grouped};
use tacho_core::{Error, Result};
use tacho_driver::Scheduling;
use tacho_engine::Measurement;
use tacho_metrics::{Phase, Series};
use tacho_store::record::{DistributionRecord, NoticeRecord, PlanRecord, TerminalsRecord};
use tacho_workload::Instance;

use super::notices::Notice;

/// Returns a usage error if a plan with terminals contradicts itself or the workload.
pub(super) fn require(resolved: &Resolved, plan: &LoadPlan, instance: &dyn Instance) -> Result<()> {
    let Some(terminals) = plan.terminals else { return Ok(()) };
    let steps = resolved.plan.steps.as_ref().map_or(0, LoadSteps::sessions_max);
    let conflicts = [
        (
            instance.terminals().is_none(),
            "--terminals is not supported: the workload has no keying and think times".into(),
            "omit --terminals, or use a workload derived from TPC-C".into(),
        ),
        (
            plan.arrival.rate.is_some(),
            "both --terminals and a rate were given".into(),
            "terminals determine when transactions are due: omit the rate".into(),
        ),
        (
            plan.pacing <= 0.0,
            "--terminals requires keying and think times".into(),
            "use --pacing spec, or a factor such as --pacing x0.1".into(),
        ),
        (
            resolved.plan.data.sets > 1,
            "--terminals is not supported with several table sets".into(),
            "omit --sets".into(),
        ),
        (
            plan.sessions > terminals,
            format!(
                "not enough terminals: {} for {}",
                counted(terminals.into(), "terminal"),
                counted(plan.sessions.into(), "session")
            ),
            format!("use --sessions {terminals} or fewer"),
        ),
        (
            steps > terminals,
            format!("a --load step has {}", counted(steps.into(), "terminal")),
            format!("use --terminals {steps}, or smaller steps"),
        ),
    ];
    match conflicts.into_iter().find(|(applies, _, _)| *applies) {
        Some((_, text, hint)) => Err(Error::usage(text).hint(hint)),
        None => Ok(()),
    }
}

/// Returns the rate of transactions that the terminals would submit if responses took no time.
pub(super) fn offered_per_s(plan: &LoadPlan, instance: &dyn Instance) -> Option<f64> {
    let (terminals, model) = (plan.terminals?, instance.terminals()?);
    Some(f64::from(terminals) / (model.cycle.as_secs_f64() * plan.pacing))
}

/// Returns the results for terminals. `all` contains the measured transactions of all types.
pub(super) fn record(
    plan: &LoadPlan,
    sessions: u32,
    scheduling: Scheduling,
    measurement: &Measurement,
    all: &Series,
) -> Option<TerminalsRecord> {
    let terminals = plan.terminals?;
    let queueing = measurement.total.session_wait(Phase::Measure);
    let (count, service) = (all.service.count() as f64, all.service.mean().as_secs_f64());
    let available = f64::from(sessions) * measurement.measured.as_secs_f64();
    let groups = match scheduling {
        Scheduling::Task => groups_of_workers(plan, sessions),
        Scheduling::Thread => sessions,
        Scheduling::Virtual => 1,
    };
    Some(TerminalsRecord {
        terminals,
        sessions,
        groups: (plan.hosts == 1).then_some(groups),
        queueing: DistributionRecord::from(queueing),
        waited_share: queueing.count_above_zero() as f64 / queueing.count().max(1) as f64,
        service_mean_us: service * 1e6,
        busy_share: (count * service / available.max(1e-9)).min(1.0),
    })
}

/// Returns the number of worker threads that have at least one of the `sessions` first sessions. Query streams follow
/// them.
fn groups_of_workers(plan: &LoadPlan, sessions: u32) -> u32 {
    let workers = plan.workers.unwrap_or(1).clamp(1, plan.sessions.max(1));
    let first = |worker: u32| u64::from(plan.sessions) * u64::from(worker) / u64::from(workers);
    (0..workers).filter(|worker| first(*worker) < sessions.into()).count() as u32
}

/// Returns a notice if there are more terminals than the standard allows on this amount of data.
pub(super) fn crowded(
    plan: &LoadPlan,
    instance: &dyn Instance,
    data: &PlanRecord,
) -> Option<NoticeRecord> {
    let (terminals, model) = (plan.terminals?, instance.terminals()?);
    let most = data.scale.0 * f64::from(model.per_unit_max);
    (f64::from(terminals) > most).then(|| {
        Notice::TerminalsCrowded.found(format!(
            "{} use {}, for which the specification allows {}",
            counted(terminals.into(), "terminal"),
            data.scale.of(&data.scale_unit),
            grouped(most as u64)
        ))
    })
}
