//! What an agent makes of a coordinator's plan: a job of its own, on the database as this host reaches it.

use std::collections::BTreeMap;

use tacho_cluster::Broker;
use tacho_config::{ConfigFile, Plan, Source, resolve};
use tacho_core::Result;

use crate::{Context, Job, Trust};

/// An agent as its user wants it.
pub struct AgentRequest {
    /// The NATS server.
    pub broker: Broker,
    /// Its name.
    pub name: String,
    /// The file, for targets by name.
    pub file: Option<ConfigFile>,
    /// Targets of private servers.
    pub targets: BTreeMap<String, String>,
    /// The target, in place of the one that the coordinator names.
    pub target: Option<String>,
}

/// The job of a coordinator's plan, with the target as this host knows it.
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
    // The broker's token admits the coordinator, and what it sends is what the agent is for.
    let trust = Trust { everything: true, ..Trust::default() };
    Job::new(resolved, &Context { trust, ..context.clone() })
}
