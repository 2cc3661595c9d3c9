//! Distributes tasks such as loading and checking data among several hosts. The coordinator sends requests, and the
//! hosts respond. Running the load is not one of these tasks.
//!
//! Each host creates its job from the plan and verifies its data. All hosts get the same [`Task`] and do their share of
//! it.
//!
//! Start reading at [`gather`].

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacho_cluster::{Agent, Call, Fleet, HostSeen, Part, TaskEvent, of_host};
use tacho_config::Plan;
use tacho_core::units::counted;
use tacho_core::{Error, ErrorKind, Result};
use tacho_engine::Share;
use tacho_store::Listener;
use tacho_workload::{Marker, Violations};

use crate::{Context, Job, Request};

/// A task for the hosts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Load this host's share of the parts. Host k of N loads the parts whose number modulo N is k.
    Load,
    /// A share of the check queries. Large queries are split into `parts` parts, and host k of N runs every N-th query,
    /// starting with the k-th.
    Check { parts: usize },
}

/// The data sent to a host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TaskBriefing {
    pub(crate) task: Task,
    /// All settings, with the password removed from the target.
    pub(crate) plan: Plan,
    pub(crate) target_name: String,
    /// The table set number used by drivers.
    pub(crate) set: u32,
    /// A description of the coordinator's data. Agents use it to verify that they have access to the same data.
    pub(crate) data: String,
}

/// A message from a host about its task.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum HostMessage {
    /// A notice for the user.
    Note(String),
    /// For each table, the number of rows loaded so far and the number to load.
    Rows { rows: Vec<u64>, expected: Vec<u64> },
    /// The host has loaded all of its share, which has this number of rows.
    Loaded { rows: u64 },
    /// The number of check queries that the host has completed, and the number assigned to it.
    Asked { done: usize, count: usize },
    /// The results of check queries.
    Answers(Vec<AnswerPart>),
}

/// The index of a checked condition, and the outcome of the check: the violations, or the reason why the condition
/// was not checked.
pub(crate) type Answer = (usize, Result<Violations, String>);

/// The outcome of one part of a check, with the index of the checked condition. It contains the violations, or the
/// reason why this part was not checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AnswerPart {
    pub(crate) condition: usize,
    pub(crate) found: Result<(u64, String), String>,
}

impl From<Answer> for AnswerPart {
    fn from((condition, found): Answer) -> Self {
        Self { condition, found: found.map(|found| (found.count, found.first)) }
    }
}

impl From<AnswerPart> for Answer {
    fn from(AnswerPart { condition, found }: AnswerPart) -> Self {
        (condition, found.map(|(count, first)| Violations { count, first }))
    }
}

/// Rejects targets that other hosts cannot reach, and jobs with more hosts than sessions.
pub(crate) fn require_reachable(job: &Job, sessions: u32, flag: &str) -> Result<()> {
    let hosts = job.resolved.plan.load.hosts;
    if hosts > sessions {
        let (hosts, sessions) =
            (counted(hosts.into(), "host"), counted(sessions.into(), "session"));
        let text = format!("not enough sessions: {sessions} for {hosts}");
        let hint = format!("use {flag} to give each host at least one session");
        return Err(Error::usage(text).hint(hint));
    }
    let (title, capabilities) = (job.driver.manifest().title, job.driver.capabilities());
    if capabilities.embedded && capabilities.stores_data {
        return Err(Error::usage(format!("{title} is embedded, so other hosts cannot reach it"))
            .hint("omit --hosts, or use a database server"));
    }
    Ok(())
}

/// A callback that receives a host's message, or `None` if there are no new messages.
type Hear<'a> = &'a mut dyn FnMut(Option<(u32, HostMessage)>, &mut dyn Listener);

/// Finds the hosts, assigns each its share, and forwards their messages. `marker` is the data marker.
pub(crate) fn gather(
    Request { job, context }: Request<'_>,
    task: Task,
    set: u32,
    marker: &Marker,
    listener: &mut dyn Listener,
    hear: Hear<'_>,
) -> Result<Vec<HostSeen>> {
    let Some(wanted) = &job.wanted else { return Ok(Vec::new()) };
    let mut plan = job.resolved.plan.clone();
    plan.data.target = Some(job.target.redacted());
    let briefing = TaskBriefing {
        task,
        plan,
        target_name: job.target_name.clone(),
        set,
        data: marker.fingerprint(),
    };
    let briefing = serde_json::to_value(briefing)
        .map_err(|error| Error::new(ErrorKind::Other, error.to_string()))?;
    let hosts = job.resolved.plan.load.hosts;
    let call = Call { hosts, within: wanted.within, lease: wanted.lease, take_over: None };
    let mut tell = |text: &str| listener.note(text);
    let (mut found, interrupt) = (|| Ok(()), &context.interrupt);
    let fleet = Fleet::gather(&wanted.broker, &call, &briefing, interrupt, &mut tell, &mut found)?;
    let names: Vec<String> = fleet.hosts().into_iter().map(|host| host.name).collect();
    listener.note(&format!("load hosts: {}", names.join(", ")));
    let mut unreadable = None;
    let seen = fleet.hear_task(&context.interrupt, &mut |heard| match heard {
        TaskEvent::Note(text) => listener.note(text),
        TaskEvent::Nothing => hear(None, listener),
        TaskEvent::Says(place, value) => match serde_json::from_value(value) {
            Ok(HostMessage::Note(text)) => {
                let name = names.get(place as usize).map_or("", String::as_str);
                listener.note(&format!("{name}: {text}"));
            }
            Ok(said) => hear(Some((place, said)), listener),
            Err(error) => unreadable = Some(error.to_string()),
        },
    });
    match unreadable {
        None => Ok(seen),
        Some(text) => Err(Error::new(ErrorKind::Protocol, format!("invalid message: {text}"))
            .hint("use the same build on all hosts")),
    }
}

/// Returns an error if hosts did not finish. It is the first error that a host reported, or otherwise an error that
/// lists the lost hosts.
pub(crate) fn why_incomplete(hosts: &[HostSeen]) -> Option<Error> {
    let reported = |host: &HostSeen| {
        let failure = host.failure.as_ref()?;
        (failure.kind() != ErrorKind::Cancelled).then(|| of_host(failure, &host.name))
    };
    if let Some(error) = hosts.iter().find_map(reported) {
        return Some(error);
    }
    let lost = hosts.iter().filter_map(|host| {
        let (why, _) = host.lost.as_ref()?;
        Some(format!("{} is lost: {why}", host.name))
    });
    let lost: Vec<String> = lost.collect();
    if !lost.is_empty() {
        let hosts = counted(lost.len() as u64, "load host");
        let text = format!("{hosts} did not finish: {}", lost.join("; "));
        return Some(Error::new(ErrorKind::Connect, text).hint("find out why the agent ended"));
    }
    let open = hosts.iter().find(|host| host.end.is_none())?;
    let text = format!("load host {} did not finish", open.name);
    Some(Error::new(ErrorKind::Cancelled, text))
}

/// Returns the task in a coordinator's briefing, if there is one.
pub(crate) fn task_in(briefing: &Value) -> Option<Result<TaskBriefing>> {
    briefing.get("task")?;
    Some(serde_json::from_value(briefing.clone()).map_err(|error| {
        Error::new(ErrorKind::Protocol, format!("could not read the plan: {error}"))
            .hint("use the same build on all hosts")
    }))
}

/// A host that is working on its share of a task.
pub(crate) struct AtWork<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) job: &'a Job,
    pub(crate) context: &'a Context,
    pub(crate) share: Share,
    pub(crate) set: u32,
    pub(crate) marker: &'a Marker,
}

impl AtWork<'_> {
    pub(crate) fn say(&self, said: &HostMessage) {
        if let Ok(value) = serde_json::to_value(said) {
            self.agent.part(&Part::Task(value));
        }
    }
}
