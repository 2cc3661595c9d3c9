//! Creates a job from a coordinator's plan. The job uses this host's own address for the database, which may differ
//! from the coordinator's.

use std::collections::BTreeMap;

use tacho_cluster::Broker;
use tacho_config::{ConfigFile, Plan, Source, resolve};
use tacho_core::Result;

use crate::{Context, Job, Trust};

/// The options of an agent.
pub struct AgentRequest {
    /// The NATS server.
    pub broker: Broker,
    /// The agent's name.
    pub name: String,
    /// The configuration file that defines named targets.
    pub file: Option<ConfigFile>,
    /// The targets of the private servers.
    pub targets: BTreeMap<String, String>,
    /// The target to use instead of the one that the coordinator named.
    pub target: Option<String>,
}

/// Returns the job for a coordinator's plan, using this host's address for the target.
pub(super) fn job_of(
    request: &AgentRequest,
    context: &Context,
    plan: &Plan,
    target_name: &str,
) -> Result<Job> {
    let saved = Some((plan.clone(), "of the coordinator".to_owned()));
    let (file, targets) = (request.file.clone(), request.targets.clone());
    let source = Source { file, targets, saved, ..Source::default() };
    let mut resolved = resolve(source)?;
    let known = resolved.target_url(target_name).map(|_| target_name.to_owned());
    if let Some(target) = request.target.clone().or(known) {
        resolved.plan.data.target = Some(target);
    }
    // Allow the plan to start programs. The coordinator can be trusted, because it has proved that it knows the
    // broker's token.
    let trust = Trust { everything: true, ..Trust::default() };
    Job::new(resolved, &Context { trust, ..context.clone() })
}
