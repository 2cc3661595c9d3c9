//! Runs on several load hosts. The coordinator sends messages to the agents and evaluates their responses.
//!
//! Each agent receives the complete plan and adds its own host's target names and passwords.
//!
//! Start reading at [`Wanted::gather`]; `agent/mod.rs` implements the agent.

mod task;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacho_cluster::{Call, Fleet};
use tacho_config::{LoadPlan, OnHostLoss, Plan, Stop, Verify};
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Scheduling;
use tacho_store::Listener;
use tacho_store::record::Record;
use tacho_workload::{Choices, Instance, Marker};

use crate::{Job, Request, Wanted};

pub(crate) use task::{
    Answer, AnswerPart, AtWork, HostMessage, Task, TaskBriefing, gather, require_reachable,
    task_in, why_incomplete,
};

/// The data sent to an agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Briefing {
    /// All settings, with the password removed from the target.
    pub(crate) plan: Plan,
    /// The target's name on the coordinator. Agents may have a target with the same name but another address.
    pub(crate) target_name: String,
    /// A description of the coordinator's data. Agents use it to verify that they have access to the same data.
    pub(crate) data: Option<String>,
    /// All workload parameters, including those that determine the data.
    pub(crate) set: BTreeMap<String, String>,
    /// The date on which the data was loaded. If the database does not store data, this is the date of the run.
    pub(crate) loaded_at: i64,
    /// The key of the commit marks in the database, if each host records its commits.
    #[serde(default)]
    pub(crate) commits: Option<i64>,
    /// The run record before the load starts.
    pub(crate) record: Record,
}

/// Returns a load's total duration if it ends after a fixed time.
fn load_length(load: &LoadPlan) -> Option<Duration> {
    match load.stop {
        Stop::After(length) => Some(load.ramp_up + length + load.ramp_down),
        Stop::Count(_) | Stop::Done => None,
    }
}

/// Returns an error if the user wants other hosts to take over the share of a lost host, but this load does not allow
/// it.
pub(crate) fn require_continuable(
    job: &Job,
    plan: &LoadPlan,
    instance: &dyn Instance,
) -> Result<()> {
    if plan.on_host_loss != OnHostLoss::TakeOver || job.wanted.is_none() {
        return Ok(());
    }
    let refused = |why: String| {
        Err(Error::usage(format!("--on-host-loss take-over is not possible: {why}"))
            .hint("use --on-host-loss mark"))
    };
    if load_length(plan).is_none() {
        return refused("the load has no fixed duration".into());
    }
    let what = job.workload.manifest().title;
    if instance.streams().is_some() || instance.recorded().is_some() {
        return refused(format!("{what} includes work that each session performs only once"));
    }
    if instance.numbers_rows() {
        return refused(format!("in {what}, each session numbers the rows that it inserts"));
    }
    if job.resolved.plan.judgement.verify == Verify::Commits {
        return refused(
            "a host's commit records are stored on that host and are lost with it".into(),
        );
    }
    Ok(())
}

/// Rejects jobs that must run in a single process.
pub(crate) fn require_sharable(job: &Job, sessions: u32) -> Result<()> {
    require_reachable(job, sessions, "--sessions")?;
    if job.driver.scheduling() == Scheduling::Virtual {
        let title = job.driver.manifest().title;
        let text = format!("{title} uses virtual time, which hosts cannot share");
        return Err(Error::usage(text).hint("omit --hosts, or use noop as the target"));
    }
    Ok(())
}

/// Returns the error for network faults in a run with agents. Network faults affect only connections through this
/// process, but agents connect to the server themselves.
pub(crate) fn between() -> Error {
    Error::usage(
        "network faults are not supported with agents, which connect to the database directly",
    )
    .hint("omit --hosts, or inject the fault with --fault-command")
}

/// Facts about a run that are sent to the hosts.
pub(crate) struct Briefed<'a> {
    pub(crate) record: &'a Record,
    /// The marker, if the database stores data.
    pub(crate) marker: Option<&'a Marker>,
    pub(crate) choices: &'a Choices,
    /// The key that identifies this run's commit marks in the database, if its commits are marked.
    pub(crate) commits: Option<i64>,
}

impl Wanted {
    /// Finds the hosts and assigns each host its share of the load. Calls `found` once the hosts have been found.
    pub(crate) fn gather(
        &self,
        request: Request<'_>,
        briefed: &Briefed<'_>,
        found: &mut dyn FnMut() -> Result<()>,
        listener: &mut dyn Listener,
    ) -> Result<Fleet> {
        let Request { job, context } = request;
        let Briefed { record, marker, choices, commits } = *briefed;
        let mut plan = job.resolved.plan.clone();
        plan.data.target = Some(job.target.redacted());
        plan.data.scale = Some(record.plan.scale);
        plan.data.profile = Some(record.plan.profile.clone());
        plan.data.routes.clone_from(&record.plan.routes);
        plan.judgement.fault_commands.clear();
        let briefing = Briefing {
            plan,
            target_name: job.target_name.clone(),
            data: marker.map(Marker::fingerprint),
            set: choices.set.clone(),
            loaded_at: choices.loaded_at,
            commits,
            record: record.clone(),
        };
        let briefing = serde_json::to_value(briefing)
            .map_err(|error| Error::new(ErrorKind::Other, error.to_string()))?;
        let hosts = job.resolved.plan.load.hosts;
        let load = &job.resolved.plan.load;
        let take_over = (load.on_host_loss == OnHostLoss::TakeOver)
            .then(|| load_length(&record.plan.load))
            .flatten();
        let call = Call { hosts, within: self.within, lease: self.lease, take_over };
        let mut tell = |text: &str| listener.note(text);
        Fleet::gather(&self.broker, &call, &briefing, &context.interrupt, &mut tell, found)
            .map_err(|error| error.during("start run"))
    }
}

/// Returns an error if hosts were requested but no NATS server is configured.
pub(crate) fn require_broker(job: &Job) -> Result<()> {
    if job.resolved.is_given("hosts") && job.wanted.is_none() {
        return Err(Error::usage("--hosts requires a NATS server")
            .hint("specify the NATS server with --nats URL or TACHO_NATS; to start one, use tacho up nats"));
    }
    Ok(())
}
