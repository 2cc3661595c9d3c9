//! Attributes the performance difference between two configurations of a server to groups of settings.
//!
//! Each step changes one group of settings, and each round measures all steps. Every second round measures them in
//! reverse order. The target must be empty at the start, because a step may replace the data.
//!
//! Start reading at [`Attributing::new`] and [`Attributing::measure`].

mod sides;
mod steps;
mod values;

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_analysis::{Attribution, GroupChange, Path, Sides, attribute};
use tacho_config::{Resolved, Stop};
use tacho_core::{Error, Result};
use tacho_store::Listener;
use tacho_store::event::PointState;

use crate::access::{Access, Data, data_parameters};
use crate::settings::Changes;
use crate::{Context, Exit, Job, Request, clean, plan_clean, prepare, run};
use sides::Side;
use steps::Steps;

/// The request.
#[derive(Clone, Debug)]
pub struct AttributeRequest {
    /// The first configuration: `PROFILE[,KEY=VALUE…]`.
    pub from: String,
    /// The last configuration, in the same notation.
    pub to: String,
    /// The number of times each step is measured.
    pub rounds: u32,
    /// True if the groups are changed in only one order.
    pub one_order: bool,
}

/// An attribution that is ready to run.
pub struct Attributing {
    /// The groups, in the order in which they are changed.
    pub groups: Vec<GroupChange>,
    base: Resolved,
    steps: Steps,
    request: AttributeRequest,
    /// The parameters of the data that is currently loaded, and the settings used to load it. `None` if no data is
    /// loaded.
    loaded: Option<(BTreeMap<String, String>, Resolved)>,
}

/// Maximum number of attempts to measure a step in one round, because an invalid run is repeated.
const ATTEMPTS: u32 = 3;
/// The minimum number of rounds. A confidence interval needs at least two.
const ROUNDS_MIN: u32 = 2;

impl Attributing {
    /// Finds the settings that differ, divides them into groups and checks every step, without connecting to the
    /// database.
    pub fn new(base: Resolved, request: AttributeRequest, context: &Context) -> Result<Self> {
        if request.rounds < ROUNDS_MIN {
            return Err(Error::usage(format!(
                "--rounds {}: a single round has no confidence \
                interval",
                request.rounds
            ))
            .hint(
                "use at least 2 rounds, or 4 to 8 rounds to detect differences of a few percent",
            ));
        }
        if base.plan.data.target.is_none() {
            return Err(Error::usage("no target given")
                .hint("specify a target, for example: tacho attribute WORKLOAD TARGET --from spec --to PROFILE"));
        }
        let mut sides =
            [Side::read(&request.from, &base, context)?, Side::read(&request.to, &base, context)?];
        Side::require_both(&sides)?;
        Side::complete(&mut sides, &base);
        let steps = Steps::new(&base, &sides, request.one_order, context)?;
        let groups = steps.groups.iter().map(|group| group.shown(&sides)).collect();
        Ok(Self { groups, base, steps, request, loaded: None })
    }

    /// Returns the number of runs.
    pub fn runs(&self) -> usize {
        self.steps.configurations.len() * self.request.rounds as usize
    }

    /// Returns the approximate duration of all planned runs, not counting the time for loading data.
    pub fn duration(&self) -> Option<Duration> {
        let load = &self.base.plan.load;
        let Stop::After(measured) = load.stop else { return None };
        Some((load.ramp_up + measured + load.ramp_down) * self.runs() as u32)
    }

    /// Measures all rounds, then removes the last step's data. After an interrupt, returns the completed rounds and
    /// keeps the data.
    pub fn measure(
        &mut self,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<(Attribution, Exit)> {
        self.require_empty(context)?;
        let mut changes = self.changes(context, listener)?;
        let measured = self.rounds(&mut changes, context, listener);
        // Restore the settings even if a run failed.
        let restored = changes.put_back(context, listener);
        let removed = match &self.loaded {
            Some((_, resolved)) if context.interrupted() => {
                let left = Job::new(resolved.clone(), context)?;
                listener.note(&format!(
                    "could not remove the last step's data: {}",
                    left.clean_command()
                ));
                Ok(())
            }
            _ => self.remove(context, listener),
        };
        let (paths, exit) = measured?;
        restored.and(removed)?;
        let job = Job::new(self.base.clone(), context)?;
        let sides = Sides {
            workload: job.workload.manifest().id.into(),
            target: job.target_name,
            from: self.request.from.clone(),
            to: self.request.to.clone(),
        };
        Ok((attribute(sides, &self.groups, &paths), exit))
    }

    /// Reads the current values of the server settings that the steps change.
    fn changes(&self, context: &Context, listener: &mut dyn Listener) -> Result<Changes> {
        let mut points = Vec::new();
        for at in 0..self.steps.configurations.len() {
            let wanted = self.steps.server_settings(at);
            if !wanted.is_empty() {
                let resolved = self.steps.resolved(&self.base, at)?;
                points.push((Job::new(resolved, context)?, wanted));
            }
        }
        Changes::prepare(points, "attribution", context, listener)
    }

    fn rounds(
        &mut self,
        changes: &mut Changes,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<([Path; 2], Exit)> {
        let count = self.steps.configurations.len();
        let (mut rounds, mut exits) = (Vec::new(), Vec::new());
        let (mut number, begun) = (0, tacho_collect::wall_clock());
        for round in 0..self.request.rounds {
            let mut values = vec![None; count];
            // Alternate the direction so that drift affects all steps equally.
            let order: Vec<usize> =
                if round % 2 == 0 { (0..count).collect() } else { (0..count).rev().collect() };
            for at in order {
                number += 1;
                let spent = tacho_collect::wall_clock().saturating_sub(begun);
                let left = (self.runs() + 1 - number) as u32;
                listener.point(PointState {
                    number,
                    count: self.runs(),
                    values: self.steps.words(at),
                    remaining: match number {
                        1 => self.duration(),
                        _ => Some(spent / (number as u32 - 1) * left),
                    },
                });
                let done = self.one(at, round, changes, context, listener);
                if context.interrupted() {
                    // Stop here. The completed rounds are enough for a result.
                    return Ok((self.steps.paths(&rounds), Exit::Interrupted));
                }
                let (value, exit) = done?;
                values[at] = value;
                exits.push(exit);
            }
            rounds.push(values);
        }
        let worst = Exit::first_of(&exits);
        Ok((self.steps.paths(&rounds), worst))
    }

    /// Measures one step in one round. Returns its throughput, or `None` if the run failed or all attempts were
    /// invalid.
    fn one(
        &mut self,
        at: usize,
        round: u32,
        changes: &mut Changes,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<(Option<f64>, Exit)> {
        let resolved = self.steps.resolved(&self.base, at)?;
        // Use a different seed in each round. Identical inputs would hide part of the variation between rounds.
        let seed = self.base.plan.load.seed.0.wrapping_add(u64::from(round));
        let mut job = Job::new(resolved.with("seed", &[seed.to_string()])?, context)?;
        self.load(Request { job: &job, context }, listener)?;
        let wanted = self.steps.server_settings(at);
        if !wanted.is_empty() {
            job.server_settings = changes.apply(Request::new(&job, context), &wanted, listener)?;
        }
        if context.interrupted() {
            return Ok((None, Exit::Interrupted));
        }
        let mut exit = Exit::Success;
        for _ in 0..ATTEMPTS {
            match run(Request { job: &job, context }, listener) {
                Ok(report) => {
                    let result = report.record.result.as_ref();
                    if let Some(result) = result.filter(|result| result.valid) {
                        return Ok((Some(result.throughput_per_s), report.exit));
                    }
                    exit = report.exit;
                    if context.interrupted() {
                        break;
                    }
                    let (step, id) = (self.steps.words(at), &report.record.id);
                    listener.note(&format!("{step}: run {id} is not valid"));
                }
                Err(error) => {
                    listener.note(&format!("{}: {error}", self.steps.words(at)));
                    return Ok((None, Exit::of(&error)));
                }
            }
        }
        Ok((None, exit))
    }

    /// Returns an error unless the target is empty, because the measurement removes its data at the end.
    fn require_empty(&self, context: &Context) -> Result<()> {
        let job = Job::new(self.base.clone(), context)?;
        if !job.has_data() {
            return Ok(());
        }
        let access = Access::new(&job)?;
        let session = access.connect_or_create(Request { job: &job, context })?;
        let found = match access.look(Request { job: &job, context }, session)? {
            Data::Empty(session) => {
                return access.unless_stopped(context, session.close());
            }
            Data::Foreign(_) => "tables that Tacho did not create",
            Data::Ours(..) => "data",
        };
        let text = format!(
            "{} contains {found}, but an attribution needs an empty database",
            job.target_text
        );
        Err(Error::usage(text)
            .hint(
                "use an empty database, because each step that needs different data loads that data and later removes it",
            )
            .hint(job.clean_command()))
    }

    /// Loads the data of a step unless it is already loaded.
    fn load(&mut self, request: Request<'_>, listener: &mut dyn Listener) -> Result<()> {
        let Request { job, context } = request;
        if !job.has_data() {
            return Ok(());
        }
        let instance = job.workload.instance(&job.choices(None)?)?;
        let wanted = data_parameters(job, instance.as_ref());
        if self.loaded.as_ref().is_some_and(|(there, _)| *there == wanted) {
            return Ok(());
        }
        self.remove(context, listener)?;
        self.loaded = Some((wanted, job.resolved.clone()));
        let report = prepare(request, listener)?;
        if report.exit == Exit::Success || context.interrupted() {
            return Ok(());
        }
        Err(Error::usage("could not load the data for a step")
            .hint("to see the reason, run tacho prepare with the same settings"))
    }

    /// Removes the loaded data.
    fn remove(&mut self, context: &Context, listener: &mut dyn Listener) -> Result<()> {
        let Some((_, resolved)) = self.loaded.take() else { return Ok(()) };
        let job = Job::new(resolved, context)?;
        for plan in plan_clean(Request { job: &job, context })? {
            clean(Request { job: &job, context }, &plan, listener)?;
        }
        Ok(())
    }
}
