//! A workload of a pipeline, on all of the pipeline's servers.
//!
//! Start reading at [`Stage::new`].

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_analysis::Gate;
use tacho_config::pipeline::varied;
use tacho_config::{PipelineFile, PipelineGate, PipelineWorkload, Resolved, Source, resolve};
use tacho_core::{Error, Result};
use tacho_store::Listener;
use tacho_store::pipeline::{PipelineRecord, StageRecord};
use tacho_store::record::RunState;

use super::PipelineStage;
use crate::access::Access;
use crate::power::layout;
use crate::prepare::{owner_of_other_data, share_data};
use crate::sweep::Sweep;
use crate::{Context, Exit, Job, Request, SweepRequest, clean, plan_clean, plan_prepare, prepare};

/// One workload and its sweeps, one per server.
pub(super) struct Stage {
    /// The workload's name in the pipeline file.
    pub(super) name: String,
    /// The sweeps that have not been completed, each with the name of its server.
    pub(super) sweeps: Vec<(String, Sweep)>,
    /// The number of points in complete sweeps.
    complete: usize,
    id: String,
    servers: Vec<String>,
    vary: Vec<String>,
    /// The run settings for each server. The flag is true if the pipeline loads the data on this server itself.
    bases: Vec<(String, Resolved, bool)>,
    rows: Option<u64>,
    /// True if the pipeline starts one of the servers.
    starts_servers: bool,
}

impl Stage {
    /// Plans new sweeps, or resumes the sweeps in the record.
    pub(super) fn new(
        name: &str,
        workload: &PipelineWorkload,
        file: &PipelineFile,
        record: &PipelineRecord,
        targets: &BTreeMap<String, String>,
        context: &Context,
    ) -> Result<Self> {
        let mut vary = varied(&file.settings, "server.")?;
        vary.extend(varied(&workload.vary, "")?);
        let mut stage = Self {
            name: name.into(),
            sweeps: Vec::new(),
            complete: 0,
            id: workload.workload.clone(),
            servers: Vec::new(),
            vary: vary.clone(),
            bases: Vec::new(),
            rows: None,
            starts_servers: file.in_order().any(|(_, kind)| kind.product.is_some()),
        };
        for (server, kind) in file.in_order() {
            let base = base(workload, server, targets)?;
            if vary.is_empty() {
                // Every sweep varies a setting. If the user did not choose one, use the number of sessions with a
                // single value.
                vary.push(format!("sessions={}", base.plan.load.sessions));
            }
            let loads = workload.prepare.unwrap_or(kind.product.is_some());
            if loads {
                stage.rows = Some(plan_prepare(&Job::new(base.clone(), context)?)?.rows);
            }
            stage.bases.push((server.into(), base.clone(), loads));
            stage.servers.push(server.into());
            let request = SweepRequest {
                vary: vary.clone(),
                repeat: file.repeat,
                detect: file.detect.clone(),
                metric: metric(file)?,
                ..SweepRequest::default()
            };
            let id =
                record.sweeps.iter().find(|sweep| sweep.workload == name && sweep.server == server);
            stage.add(server, id, base, &request, context)?;
        }
        Ok(stage)
    }

    fn add(
        &mut self,
        server: &str,
        known: Option<&StageRecord>,
        base: Resolved,
        request: &SweepRequest,
        context: &Context,
    ) -> Result<()> {
        let Some(known) = known else {
            self.sweeps.push((server.into(), Sweep::new(base, request, context)?));
            return Ok(());
        };
        let record = context.store().sweeps().find(&known.sweep)?;
        let is_there = |id: &str| context.store().find(id).is_ok();
        let is_complete = record.state == RunState::Complete && !record.has_failed_points();
        if is_complete && record.runs().all(is_there) {
            self.complete += record.points.len();
        } else {
            let sweep = Sweep::resume_planned(record, base, request, context)?;
            self.sweeps.push((server.into(), sweep));
        }
        Ok(())
    }

    /// Returns true if one of the sweeps contains a failed run.
    pub(super) fn has_failed_points(&self) -> bool {
        self.sweeps.iter().any(|(_, sweep)| sweep.record.has_failed_points())
    }

    /// Returns the number of points measured in complete sweeps.
    pub(super) fn measured(&self) -> usize {
        self.complete
    }

    pub(super) fn plan(&self) -> PipelineStage {
        let points = |sweep: &Sweep| sweep.record.points.len();
        PipelineStage {
            workload: self.name.clone(),
            id: self.id.clone(),
            servers: self.servers.clone(),
            vary: self.vary.clone(),
            runs: self.complete + self.sweeps.iter().map(|(_, sweep)| points(sweep)).sum::<usize>(),
            left: self.sweeps.iter().map(|(_, sweep)| sweep.left()).sum(),
            layout: self.sweeps.first().map_or((0, 0), |(_, sweep)| layout(&sweep.record)),
            rows: self.rows,
            remaining: self.sweeps.iter().map(|(_, sweep)| sweep.remaining()).sum::<Duration>(),
            warm_up: self
                .sweeps
                .iter()
                .filter_map(|(_, sweep)| sweep.longest_warm_up().filter(|_| self.starts_servers))
                .max(),
        }
    }

    /// Loads missing data on every server that still has runs to do. Then executes the SQL script for this server,
    /// but only if its sweep has not started yet.
    pub(super) fn prepare(
        &self,
        loaded: &[(String, Job)],
        scripts: &BTreeMap<String, String>,
        ready: &dyn Fn(&str) -> Result<()>,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<Exit> {
        for (server, base, loads) in &self.bases {
            let sweep =
                self.sweeps.iter().find(|(other, sweep)| other == server && sweep.left() > 0);
            let Some((_, sweep)) = sweep else { continue };
            let script = scripts.get(server).filter(|_| sweep.record.id.is_empty());
            if !loads && script.is_none() {
                continue;
            }
            ready(server)?;
            let job = Job::new(base.clone(), context)?;
            let request = Request::new(&job, context);
            if *loads {
                listener.note(&format!("{} on {server}: loading the missing data", self.name));
                remove_other(request, server, loaded, listener)?;
                let report = prepare(request, listener)?;
                if report.exit != Exit::Success || context.interrupted() {
                    return Ok(report.exit);
                }
            }
            if let Some(script) = script {
                run_script(request, script).map_err(|error| {
                    error.during(format!("run the SQL file of servers.{server}.before"))
                })?;
            }
        }
        Ok(Exit::Success)
    }

    /// Gives each new sweep an ID and adds the sweep to the record.
    pub(super) fn create(&mut self, record: &mut PipelineRecord) -> Result<()> {
        for (server, sweep) in &mut self.sweeps {
            if sweep.create()? {
                record.sweeps.push(StageRecord {
                    workload: self.name.clone(),
                    server: server.clone(),
                    sweep: sweep.record.id.clone(),
                });
            }
        }
        Ok(())
    }
}

/// Returns an error if several workloads need different data on the same server, but the pipeline does not load all
/// of this data itself.
pub(super) fn require_data(stages: &[Stage], context: &Context) -> Result<()> {
    for (at, stage) in stages.iter().enumerate() {
        for (server, base, loads) in &stage.bases {
            let job = Job::new(base.clone(), context)?;
            for other in &stages[..at] {
                let same_server = other.bases.iter().find(|(known, ..)| known == server);
                let Some((_, base, others_load)) = same_server.filter(|_| job.has_data()) else {
                    continue;
                };
                let earlier = Job::new(base.clone(), context)?;
                if *loads && *others_load || !earlier.has_data() || share_data(&earlier, &job)? {
                    continue;
                }
                let text = format!(
                    "workloads.{} and workloads.{} need different data on {server}, which contains the data of only one workload",
                    other.name, stage.name
                );
                return Err(Error::usage(text)
                    .hint("add prepare = true to both workloads to load the data in turn")
                    .hint("or write a pipeline for each workload"));
            }
        }
    }
    Ok(())
}

/// Returns the jobs whose data the pipeline loads, each with its server.
pub(super) fn loaded(stages: &[Stage], context: &Context) -> Result<Vec<(String, Job)>> {
    let bases = stages.iter().flat_map(|stage| &stage.bases).filter(|(.., loads)| *loads);
    bases.map(|(server, base, _)| Ok((server.clone(), Job::new(base.clone(), context)?))).collect()
}

/// Removes the data that the pipeline has loaded for another workload.
fn remove_other(
    request: Request<'_>,
    server: &str,
    loaded: &[(String, Job)],
    listener: &mut dyn Listener,
) -> Result<()> {
    let others: Vec<&Job> =
        loaded.iter().filter(|(known, _)| known == server).map(|(_, job)| job).collect();
    if !request.job.has_data() || others.len() < 2 {
        return Ok(());
    }
    let Some(other) = owner_of_other_data(request, &others)? else { return Ok(()) };
    listener.note(&format!("{server}: removing the data of {}", other.workload.manifest().id));
    let request = Request::new(other, request.context);
    for plan in plan_clean(request)? {
        plan.require_possible(&other.target_text)?;
        clean(request, &plan, listener)?;
    }
    Ok(())
}

fn run_script(request: Request<'_>, script: &str) -> Result<()> {
    let access = Access::new(request.job)?;
    let mut session = access.connect_or_create(request)?;
    access.unless_stopped(request.context, async {
        session.script(script).await?;
        session.close().await
    })
}

/// Returns the metric in the gate's condition, if it has one.
fn metric(file: &PipelineFile) -> Result<Option<String>> {
    let PipelineGate::Condition(text) = &file.fail_on else { return Ok(None) };
    Ok(Some(Gate::parse(text)?.metric().to_owned()))
}

/// Returns the settings shared by all runs of a workload on one server.
fn base(
    workload: &PipelineWorkload,
    server: &str,
    targets: &BTreeMap<String, String>,
) -> Result<Resolved> {
    let mut flags = workload.settings()?;
    flags.push(("workload".into(), vec![workload.workload.clone()]));
    flags.push(("target".into(), vec![server.into()]));
    resolve(Source { targets: targets.clone(), flags, ..Source::default() })
}
