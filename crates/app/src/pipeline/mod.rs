//! Pipelines: every workload on every server with every setting, unattended, and held against a
//! baseline.
//!
//! A workload on a server is a sweep; the sweeps of one workload are measured in turns. It must never
//! measure what is measured, nor forget a server that it has made. Start reading at [`Pipeline::new`]
//! and [`Pipeline::measure`].

mod servers;
mod stage;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use tacho_analysis::Reported;
use tacho_config::{PipelineFile, PipelineGate};
use tacho_core::{Error, Result};
use tacho_store::pipeline::{FORMAT, PipelineRecord, StageRecord, VERSION};
use tacho_store::record::RunState;
use tacho_store::{Listener, PipelineStore};

use crate::compare::{Comparisons, FailOn};
use crate::report::of_all_sweeps;
use crate::sweep::Together;
use crate::{Context, Exit};
use servers::Servers;
use stage::Stage;

/// A pipeline to be measured, from the start or from where it was cut off.
pub struct Pipeline {
    /// Its record as it is now.
    pub record: PipelineRecord,
    file: PipelineFile,
    servers: Servers,
    /// Targets of `tacho.toml`, by name.
    targets: BTreeMap<String, String>,
    stages: Vec<Stage>,
    resumed: bool,
    /// The record as it was saved when this one was planned, if there was one.
    saved: Option<PipelineRecord>,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct PipelineRequest {
    /// The file, read.
    pub file: PipelineFile,
    /// The folder that it lies in.
    pub folder: PathBuf,
    /// Targets of `tacho.toml`, by name.
    pub targets: BTreeMap<String, String>,
    /// Whether to begin again where one was cut off.
    pub restart: bool,
}

/// One workload as it would be measured.
#[derive(Clone, Debug)]
pub struct PipelineStage {
    /// The workload, as the file calls it.
    pub workload: String,
    /// Its id.
    pub id: String,
    /// The servers, the baseline first.
    pub servers: Vec<String>,
    /// What varies, such as `sessions=1,8`.
    pub vary: Vec<String>,
    /// Runs, and how many of them are made already.
    pub runs: usize,
    /// Runs that are left.
    pub left: usize,
    /// Rows that are loaded first on each server; none if nothing is.
    pub rows: Option<u64>,
    /// Time of the runs that are left, as planned: without loads, checks and starts of servers.
    pub remaining: Duration,
}

impl Pipeline {
    /// Checks everything that can be checked before the first server is started. Nothing is touched.
    pub fn new(request: PipelineRequest, context: &Context) -> Result<Self> {
        let PipelineRequest { file, folder, targets, restart } = request;
        let asked = file.shown();
        let known = PipelineStore::open(&context.folder).find(&file.name)?;
        let saved = known.clone();
        let open = known.filter(|own| own.state != RunState::Complete);
        let (record, resumed, left) = match open {
            Some(own) if !restart && own.asked == asked => (own, true, Vec::new()),
            Some(own) if !restart => return Err(changed(&own)),
            own => (fresh(&file), false, own.map_or_else(Vec::new, |own| own.servers)),
        };
        let servers = Servers::new(&file, &folder, left, context)?;
        let stages = Vec::new();
        let mut pipeline = Self { record, file, servers, targets, stages, resumed, saved };
        pipeline.servers.require_free(&pipeline.record, context)?;
        let planned = pipeline.servers.planned(&pipeline.targets, context)?;
        pipeline.stages = pipeline.laid_out(&planned, context)?;
        Ok(pipeline)
    }

    /// Whether it resumes one that was cut off.
    pub fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// What it will do, in its order.
    pub fn plan(&self) -> Vec<PipelineStage> {
        self.stages.iter().map(Stage::plan).collect()
    }

    fn laid_out(
        &self,
        targets: &BTreeMap<String, String>,
        context: &Context,
    ) -> Result<Vec<Stage>> {
        let stages = self.file.workloads.iter().map(|(name, own)| {
            Stage::new(name, own, &self.file, &self.record, targets, context)
                .map_err(|error| error.during(format!("use workloads.{name} of the pipeline")))
        });
        stages.collect()
    }

    /// Measures what is left. The exit code is that of the worst run, or of the comparison.
    pub fn measure(&mut self, context: &Context, listener: &mut dyn Listener) -> Result<Exit> {
        let store = PipelineStore::open(&context.folder);
        let _claim = store.claim(&self.record.name)?;
        if store.find(&self.record.name)? != self.saved {
            let text = format!("another process has measured pipeline {}", self.record.name);
            return Err(Error::usage(text).hint("repeat the command to continue with what is left"));
        }
        self.servers.remove_left(context, listener)?;
        self.record.servers = self.servers.names();
        store.save(&self.record)?;
        let measured = self.measure_up(&store, context, listener);
        let is_complete = self.record.state == RunState::Complete;
        let down = self.servers.down(!is_complete, context, listener);
        let saved = store.save(&self.record);
        if let (Err(error), true) = (&down, measured.is_err() || saved.is_err()) {
            listener.note(&error.to_string());
        }
        let (exit, is_over) = measured?;
        saved.and(down)?;
        if is_over { Ok(Exit::first_of(&[exit, self.judge(context)?])) } else { Ok(exit) }
    }

    /// Measures on servers that are up; also returns true if every point has been tried.
    fn measure_up(
        &mut self,
        store: &PipelineStore,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<(Exit, bool)> {
        let targets = self.servers.up(&self.targets, context, listener)?;
        let mut stages = self.laid_out(&targets, context)?;
        for stage in &stages {
            let exit = stage.prepare(context, listener)?;
            if exit != Exit::Success || context.interrupted() {
                let exit = if context.interrupted() { Exit::Interrupted } else { exit };
                return Ok((exit, false));
            }
        }
        let mut exits = Vec::new();
        let mut before = 0;
        let mut has_failed_points = false;
        for at in 0..stages.len() {
            let after = stages[at + 1..].iter().map(Stage::plan);
            let after = after
                .fold((0, Duration::ZERO), |sum, own| (sum.0 + own.runs, sum.1 + own.remaining));
            let stage = &mut stages[at];
            before += stage.measured();
            stage.create(&mut self.record)?;
            store.save(&self.record)?;
            let Stage { name, sweeps, .. } = stage;
            let points: usize = sweeps.iter().map(|(_, own)| own.record.points.len()).sum();
            let exit = Together { name, sweeps, before, after }.measure(context, listener)?;
            exits.push(exit);
            before += points;
            if exit == Exit::Interrupted {
                return Ok((exit, false));
            }
            has_failed_points |= stage.has_failed_points();
        }
        if has_failed_points {
            listener.note(
                "some runs failed: the same command repeats them, and --restart begins again",
            );
        } else {
            self.record.state = RunState::Complete;
        }
        Ok((Exit::first_of(&exits), true))
    }

    /// What the gate makes of the comparisons.
    fn judge(&self, context: &Context) -> Result<Exit> {
        let gate = match self.file.fail_on {
            PipelineGate::Regression => FailOn::Regression,
            PipelineGate::Throughput => FailOn::Throughput,
            PipelineGate::Never => return Ok(Exit::Success),
        };
        let reports = self.reports(context)?;
        let all = reports.into_iter().flat_map(|(_, report)| report.sweep_comparisons);
        Ok(gate.judge(&Comparisons::Sweeps(all.collect())))
    }

    /// What was measured, for each workload that has a run: the sweeps of its servers against that of the
    /// baseline, or the one sweep of the one server.
    pub fn reports(&self, context: &Context) -> Result<Vec<(String, Reported)>> {
        let store = context.store();
        let mut reports = Vec::new();
        for name in self.file.workloads.keys() {
            let own = self.record.sweeps.iter().filter(|own| own.workload == *name);
            let side =
                |own: &StageRecord| Ok((own.server.clone(), store.sweeps().find(&own.sweep)?));
            let sides = own.map(side).collect::<Result<Vec<_>>>()?;
            if sides.iter().any(|(_, sweep)| sweep.runs().next().is_some()) {
                reports.push((name.clone(), of_all_sweeps(&store, sides)?));
            }
        }
        Ok(reports)
    }
}

fn fresh(file: &PipelineFile) -> PipelineRecord {
    PipelineRecord {
        format: FORMAT.into(),
        version: VERSION,
        name: file.name.clone(),
        state: RunState::Incomplete,
        started_at: tacho_collect::local_time(tacho_collect::wall_clock()),
        tool_version: env!("CARGO_PKG_VERSION").into(),
        asked: file.shown(),
        servers: Vec::new(),
        sweeps: Vec::new(),
    }
}

fn changed(record: &PipelineRecord) -> Error {
    let PipelineRecord { name, started_at, .. } = record;
    Error::usage(format!(
        "pipeline {name}, begun at {started_at}, was interrupted, and the file has changed since"
    ))
    .hint("--restart begins again; runs that were made are kept")
    .hint("or undo the change to continue it")
}
