//! A workload of a pipeline, on all of the pipeline's servers.
//!
//! Start reading at [`Stage::new`].

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_analysis::Gate;
use tacho_config::pipeline::varied;
use tacho_config::{PipelineFile, PipelineGate, PipelineWorkload, Resolved, Source, resolve};
use tacho_core::Result;
use tacho_store::Listener;
use tacho_store::pipeline::{PipelineRecord, StageRecord};
use tacho_store::record::RunState;

use super::PipelineStage;
use crate::power::layout;
use crate::sweep::Sweep;
use crate::{Context, Exit, Job, Request, SweepRequest, plan_prepare, prepare};

/// One workload and its sweeps, one per server.
pub(super) struct Stage {
    /// The workload's name in the pipeline file.
    pub(super) name: String,
    /// The incomplete sweeps, each with the name of its server.
    pub(super) sweeps: Vec<(String, Sweep)>,
    /// The number of points in complete sweeps.
    complete: usize,
    id: String,
    servers: Vec<String>,
    vary: Vec<String>,
    /// The servers on which data has to be loaded first, along with the settings for loading it.
    loads: Vec<(String, Resolved)>,
    rows: Option<u64>,
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
            loads: Vec::new(),
            rows: None,
        };
        for (server, kind) in file.in_order() {
            let base = base(workload, server, targets)?;
            if vary.is_empty() {
                // A sweep needs at least one variable, so use the number of sessions with a single value.
                vary.push(format!("sessions={}", base.plan.load.sessions));
            }
            if workload.prepare.unwrap_or(kind.product.is_some()) {
                stage.rows = Some(plan_prepare(&Job::new(base.clone(), context)?)?.rows);
                stage.loads.push((server.into(), base.clone()));
            }
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
            self.sweeps.push((server.into(), Sweep::resume(record, base, context)?));
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
        }
    }

    /// Loads missing data.
    pub(super) fn prepare(&self, context: &Context, listener: &mut dyn Listener) -> Result<Exit> {
        for (server, base) in &self.loads {
            if !self.sweeps.iter().any(|(other, sweep)| other == server && sweep.left() > 0) {
                continue;
            }
            listener.note(&format!("{} on {server}: loading the missing data", self.name));
            let job = Job::new(base.clone(), context)?;
            let report = prepare(Request::new(&job, context), listener)?;
            if report.exit != Exit::Success || context.interrupted() {
                return Ok(report.exit);
            }
        }
        Ok(Exit::Success)
    }

    /// Assigns each sweep an id and records it.
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

/// The metric used by the gate to detect changes.
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
