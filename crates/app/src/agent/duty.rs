//! The agent's side of a task. It finds the data, does this host's part of the task, and reports the result.

use tacho_cluster::{Agent, Assignment, Ending, Part};
use tacho_core::{Error, ErrorKind, Result};
use tacho_store::Listener;
use tacho_workload::{Marker, MarkerStore};

use super::job::{AgentRequest, job_of};
use crate::access::{Access, Data};
use crate::cluster::{AtWork, Task, TaskBriefing};
use crate::{Context, Job, Request, build, check};

/// Performs this host's share of a task, such as loading or checking data, and reports to the coordinator when it is
/// done.
pub(super) fn work(
    request: &AgentRequest,
    context: &Context,
    agent: &Agent,
    work: &Assignment,
    briefing: &TaskBriefing,
    listener: &mut dyn Listener,
) -> Result<()> {
    let job = job_of(request, context, &briefing.plan, &briefing.target_name)?;
    let access = Access::of(briefing.set)?;
    let (store, marker) = the_data(Request { job: &job, context }, &access, briefing)?;
    let at_work =
        AtWork { agent, job: &job, context, share: work.share, set: briefing.set, marker: &marker };
    let done = match briefing.task {
        Task::Load => build::part_of_host(&at_work, &access, store),
        Task::Check { parts } => check::part_of_host(&at_work, &access, store, parts),
    };
    agent.tell_leaving();
    listener.note(&format!("run {}: {}", work.run, done?));
    agent.part(&Part::End(Box::new(Ending { left: agent.left_early(), ..Ending::default() })));
    Ok(())
}

/// Opens the data that the coordinator uses. Connects with the database address that is configured on this host.
fn the_data(
    request: Request<'_>,
    access: &Access,
    briefing: &TaskBriefing,
) -> Result<(Box<MarkerStore>, Marker)> {
    let job = request.job;
    let session = access.connect(request)?;
    match access.look(request, session)? {
        Data::Ours(store, marker) if marker.fingerprint() == briefing.data => Ok((store, marker)),
        _ => Err(other_data(job)),
    }
}

/// Returns the error for a host whose database does not contain the same data as the coordinator's.
pub(super) fn other_data(job: &Job) -> Error {
    let text =
        format!("{} does not contain the same data as the coordinator's database", job.target_text);
    Error::new(ErrorKind::Missing, text)
        .hint("use the same database for every agent: tacho agent --target URL")
}
