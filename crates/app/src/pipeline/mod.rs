//! A pipeline measures every workload on every server with every setting and compares the results with a baseline.
//!
//! For each workload, there is one sweep per server. The servers take turns, so that drift affects all of them
//! equally. A resumed pipeline does not repeat completed measurements, and still removes servers that it created
//! earlier.
//!
//! Start reading at [`Pipeline::new`] and [`Pipeline::measure`].

mod servers;
mod stage;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use tacho_analysis::{Gate, Reported};
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

/// Maximum size of an SQL file in bytes.
const SCRIPT_MAX: u64 = 64 << 20;

/// A pipeline that is ready to start or to resume where it was interrupted.
pub struct Pipeline {
    /// The pipeline's current record.
    pub record: PipelineRecord,
    file: PipelineFile,
    servers: Servers,
    /// The folder that contains the pipeline file.
    folder: PathBuf,
    /// The targets in `tacho.toml`, by name.
    targets: BTreeMap<String, String>,
    stages: Vec<Stage>,
    resumed: bool,
    /// The stored record of this pipeline, if it was planned before.
    saved: Option<PipelineRecord>,
}

/// The request.
#[derive(Clone, Debug)]
pub struct PipelineRequest {
    /// The parsed pipeline file.
    pub file: PipelineFile,
    /// The folder that contains the pipeline file.
    pub folder: PathBuf,
    /// The targets in `tacho.toml`, by name.
    pub targets: BTreeMap<String, String>,
    /// True if an interrupted pipeline starts over instead of being resumed.
    pub restart: bool,
}

/// The plan for one workload.
#[derive(Clone, Debug)]
pub struct PipelineStage {
    /// The workload's name in the pipeline file.
    pub workload: String,
    /// The workload's id.
    pub id: String,
    /// The servers, starting with the baseline.
    pub servers: Vec<String>,
    /// The sweep variables, such as `sessions=1,8`.
    pub vary: Vec<String>,
    /// The total number of runs.
    pub runs: usize,
    /// The number of remaining runs.
    pub left: usize,
    /// The number of points per server, and the number of runs per point.
    pub layout: (u32, u32),
    /// The number of rows to load on each server before the runs, or `None` if the pipeline loads no data.
    pub rows: Option<u64>,
    /// The planned duration of the remaining runs, excluding warm-ups, data loads, checks and server starts.
    pub remaining: Duration,
    /// The longest warm-up after a server start, or `None` if there are no warm-ups.
    pub warm_up: Option<Duration>,
}

impl Pipeline {
    /// Performs all checks that are possible before any server is started.
    pub fn new(request: PipelineRequest, context: &Context) -> Result<Self> {
        let PipelineRequest { file, folder, targets, restart } = request;
        condition(&file)?;
        let asked = file.shown();
        let known = PipelineStore::open(&context.folder).find(&file.name)?;
        let saved = known.clone();
        let open = known.filter(|record| record.state != RunState::Complete);
        let (record, resumed, left) = match open {
            Some(record) if !restart && record.asked == asked => (record, true, Vec::new()),
            Some(record) if !restart => return Err(changed(&record)),
            record => (fresh(&file), false, record.map_or_else(Vec::new, |record| record.servers)),
        };
        let servers = Servers::new(&file, &folder, left, context)?;
        let stages = Vec::new();
        let mut pipeline = Self { record, file, servers, folder, targets, stages, resumed, saved };
        pipeline.servers.require_free(&pipeline.record, context)?;
        let planned = pipeline.servers.planned(&pipeline.targets, context)?;
        pipeline.stages = pipeline.laid_out(&planned, context)?;
        stage::require_data(&pipeline.stages, context)?;
        pipeline.scripts()?;
        Ok(pipeline)
    }

    /// Returns true if this resumes an interrupted pipeline.
    pub fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// Returns the planned stages in order.
    pub fn plan(&self) -> Vec<PipelineStage> {
        self.stages.iter().map(Stage::plan).collect()
    }

    /// Reads the SQL files to run before the measurements, by server.
    fn scripts(&self) -> Result<BTreeMap<String, String>> {
        let named = self.file.servers.iter();
        let named = named.filter_map(|(name, server)| Some((name, server.before.as_ref()?)));
        let read = |(name, file): (&String, &String)| {
            let text =
                tacho_core::file::text(&self.folder.join(file), SCRIPT_MAX).map_err(|error| {
                    Error::usage(format!("could not read {file}: {error}"))
                        .during(format!("use servers.{name}.before"))
                        .hint("the path is relative to the folder that contains the pipeline file")
                })?;
            Ok((name.clone(), text))
        };
        named.map(read).collect()
    }

    fn laid_out(
        &self,
        targets: &BTreeMap<String, String>,
        context: &Context,
    ) -> Result<Vec<Stage>> {
        let stages = self.file.workloads.iter().map(|(name, workload)| {
            Stage::new(name, workload, &self.file, &self.record, targets, context)
                .map_err(|error| error.during(format!("use workloads.{name} of the pipeline")))
        });
        stages.collect()
    }

    /// Performs the remaining runs. Returns the worst exit code of these runs and the comparison.
    pub fn measure(&mut self, context: &Context, listener: &mut dyn Listener) -> Result<Exit> {
        let store = PipelineStore::open(&context.folder);
        let _claim = store.claim(&self.record.name)?;
        if store.find(&self.record.name)? != self.saved {
            let text = format!(
                "pipeline {} was measured by another process in the meantime",
                self.record.name
            );
            return Err(
                Error::usage(text).hint("repeat the command to measure the remaining points")
            );
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

    /// Measures on the running servers. Returns an exit code, and true if all measurements have been attempted.
    fn measure_up(
        &mut self,
        store: &PipelineStore,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<(Exit, bool)> {
        let targets = self.servers.up(&self.targets, context, listener)?;
        let mut stages = self.laid_out(&targets, context)?;
        let (scripts, loaded) = (self.scripts()?, stage::loaded(&stages, context)?);
        let servers = &self.servers;
        let ready = |server: &str| servers.ready(server, context);
        let mut exits = Vec::new();
        let mut before = 0;
        let mut has_failed_points = false;
        for at in 0..stages.len() {
            let after = stages[at + 1..].iter().map(Stage::plan);
            let after = after.fold((0, Duration::ZERO), |sum, stage| {
                (sum.0 + stage.runs, sum.1 + stage.remaining)
            });
            let stage = &mut stages[at];
            before += stage.measured();
            let exit = stage.prepare(&loaded, &scripts, &ready, context, listener)?;
            if exit != Exit::Success || context.interrupted() {
                let exit = if context.interrupted() { Exit::Interrupted } else { exit };
                return Ok((exit, false));
            }
            stage.create(&mut self.record)?;
            store.save(&self.record)?;
            let Stage { name, sweeps, .. } = stage;
            let points: usize = sweeps.iter().map(|(_, sweep)| sweep.record.points.len()).sum();
            let ready = &ready;
            let exit =
                Together { name, sweeps, before, after, ready }.measure(context, listener)?;
            exits.push(exit);
            before += points;
            if exit == Exit::Interrupted {
                return Ok((exit, false));
            }
            has_failed_points |= stage.has_failed_points();
        }
        if has_failed_points {
            listener.note(
                "some runs failed: repeat the command to measure them again, or use --restart to \
                    start over",
            );
        } else {
            self.record.state = RunState::Complete;
        }
        Ok((Exit::first_of(&exits), true))
    }

    /// Compares the results with the baseline and returns the exit code. Failing to compare is an error even if
    /// `fail_on` is `never`.
    fn judge(&self, context: &Context) -> Result<Exit> {
        let (reports, error) = self.reports(context);
        if let Some(error) = error {
            return Err(error);
        }
        let gate = match &self.file.fail_on {
            PipelineGate::Regression => FailOn::Regression,
            PipelineGate::Throughput => FailOn::Throughput,
            PipelineGate::Never => return Ok(Exit::Success),
            PipelineGate::Condition(_) => {
                FailOn::Condition { pass_undecided: self.file.pass_undecided }
            }
        };
        let all = reports.into_iter().flat_map(|(_, report)| report.sweep_comparisons);
        Ok(gate.judge(&Comparisons::Sweeps(all.collect())))
    }

    /// Compares each workload's results with those of the baseline. With only one server, reports its results alone.
    /// Also returns the sweeps that cannot be compared, and the first error among them.
    pub fn reports(&self, context: &Context) -> (Vec<(String, Reported)>, Option<Error>) {
        let (mut reports, mut failure) = (Vec::new(), None);
        for name in self.file.workloads.keys() {
            if let Err(error) = self.report(name, context, &mut reports) {
                failure = failure.or(Some(error.during(format!("compare the servers for {name}"))));
            }
        }
        (reports, failure)
    }

    fn report(
        &self,
        name: &str,
        context: &Context,
        reports: &mut Vec<(String, Reported)>,
    ) -> Result<()> {
        let (store, gate) = (context.store(), condition(&self.file)?);
        let stages = self.record.sweeps.iter().filter(|stage| stage.workload == *name);
        let side =
            |stage: &StageRecord| Ok((stage.server.clone(), store.sweeps().find(&stage.sweep)?));
        let sides = stages.map(side).collect::<Result<Vec<_>>>()?;
        if sides.iter().all(|(_, sweep)| sweep.runs().next().is_none()) {
            return Ok(());
        }
        match of_all_sweeps(&store, sides.clone(), gate.as_ref(), self.file.force) {
            Ok(report) => reports.push((name.into(), report)),
            Err(error) => {
                for (server, sweep) in sides {
                    let alone = of_all_sweeps(&store, vec![(server.clone(), sweep)], None, true)?;
                    reports.push((format!("{name}-{server}"), alone));
                }
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Returns the condition that the gate evaluates, if it has one.
fn condition(file: &PipelineFile) -> Result<Option<Gate>> {
    let PipelineGate::Condition(text) = &file.fail_on else { return Ok(None) };
    let gate = Gate::parse(text).map_err(|error| {
        error.during("read fail_on of the pipeline").hint("or use regression, throughput or never")
    })?;
    if file.repeat < 2 {
        return Err(Error::usage(format!("{text} cannot be evaluated without repeated runs"))
            .hint("use repeat = 5 or more"));
    }
    Ok(Some(gate))
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
        "pipeline {name}, started at {started_at}, was interrupted, but the file has changed \
            since then"
    ))
    .hint("use --restart to start over; existing runs are kept")
    .hint("or undo the change to resume the pipeline")
}
