//! Sweeps are series of runs in which one or more settings are varied. A sweep finds the highest throughput, compares
//! settings, or searches for the highest rate that meets a limit.
//!
//! A sweep's record is saved after every run, and an interrupted sweep resumes from it.
//!
//! Start reading at [`Sweep::new`] and [`Sweep::measure`].

mod order;
mod plan;
mod search;
mod together;
mod vary;
mod warmth;

use std::path::PathBuf;
use std::time::Duration;

use tacho_analysis::SweepView;
use tacho_config::{Design, Order, Resolved, Stop};
use tacho_core::{Error, ErrorKind, Result, Seed};
use tacho_report::{calibration_sentences, run_in_brief};
use tacho_store::event::PointState;
use tacho_store::record::{Record, ResultRecord, RunState};
use tacho_store::sweep::{FIND_MAX, Outcome, Point, SweepRecord, Varied};
use tacho_store::{Claim, Listener, SweepStore};

use crate::access::Access;
use crate::settings::{Changes, Pairs, private_server};
use crate::settle::checkpoint;
use crate::{Context, Exit, Job, Request, Wanted, run, trust};

pub(crate) use together::Together;
pub(crate) use vary::with_option;
use warmth::Warmth;

/// The options of a sweep, excluding the settings of its runs.
#[derive(Clone, Debug, Default)]
pub struct SweepRequest {
    /// The sweep variables as `KEY=VALUE,VALUE,…`, one for each key.
    pub vary: Vec<String>,
    /// The number of runs for each combination of values.
    pub repeat: u32,
    /// The order of repeated runs.
    pub order: Order,
    /// The combinations of values to measure.
    pub design: Design,
    /// True to skip points past the peak.
    pub stop_past_peak: bool,
    /// True to measure identical runs first, as a calibration.
    pub calibrate: bool,
    /// The relative change to be detected, such as `3%`. Requires a calibration.
    pub detect: Option<String>,
    /// The metric in which to detect the change, such as `new_order.p95`.
    pub metric: Option<String>,
    /// True to end the sweep if a run fails.
    pub stop_on_failure: bool,
    /// The limit that the highest rate must meet; present if the sweep is a search.
    pub find_max: Option<String>,
}

/// A sweep that is ready to start or to resume where it was interrupted.
pub struct Sweep {
    /// The current record.
    pub record: SweepRecord,
    base: Resolved,
    store: SweepStore,
    stop_past_peak: bool,
    stop_on_failure: bool,
    find_max: Option<String>,
    hosts: Option<Wanted>,
    /// The lock that prevents other processes from measuring this sweep, held once the measurement has started.
    claim: Option<Claim>,
    /// The private servers that need no warm-up.
    warmth: Warmth,
    /// True if the server settings come from a record or a request instead of the user.
    is_foreign: bool,
}

/// The keys of the sweep's options in its record.
const STOP_PAST_PEAK: &str = "stop_past_peak";
const STOP_ON_FAILURE: &str = "stop_on_failure";
const ORDER: &str = "order";
const DESIGN: &str = "design";
/// The setting that a search varies.
const RATE: &str = "rate";
/// The setting for the number of sessions. If the user did not specify it, the search for the highest rate chooses
/// it.
const SESSIONS: &str = "sessions";
/// A point is past the peak if its throughput is below this fraction of the highest throughput so far.
const PAST_PEAK: f64 = 0.95;
/// The number of consecutive points past the peak that ends a series.
const PAST_PEAK_POINTS: usize = 2;

impl Sweep {
    /// Validates a request and determines its points, without connecting to a server.
    pub fn new(mut base: Resolved, request: &SweepRequest, context: &Context) -> Result<Self> {
        let record = plan::record(&mut base, request, context)?;
        Ok(Self { is_foreign: context.trust.requested, ..Self::of(record, base, context) })
    }

    /// Resumes a sweep of a pipeline. The pipeline file must lead to the points in the record, because the user has
    /// specified this file, but the record may have been forged.
    pub(crate) fn resume_planned(
        record: SweepRecord,
        base: Resolved,
        request: &SweepRequest,
        context: &Context,
    ) -> Result<Self> {
        let planned = Self::new(base.clone(), request, context)?.record;
        let is_planned =
            |point: &Point| planned.points.iter().any(|known| known.values == point.values);
        if planned.vary != record.vary || !record.points.iter().all(is_planned) {
            let text = format!("sweep {} differs from what the pipeline file requests", record.id);
            return Err(Error::usage(text).hint("use --restart to start the pipeline over"));
        }
        Ok(Self { is_foreign: false, ..Self::resume(record, base, context)? })
    }

    /// Resumes an interrupted sweep with its original settings, `base`. Failed and missing points are measured again.
    pub fn resume(mut record: SweepRecord, base: Resolved, context: &Context) -> Result<Self> {
        let store = context.store();
        // If the record of a run has no result, the run was killed or the disk was full. Measure its point again.
        let has_result = |id: &String| store.find(id).is_ok_and(|run| run.record.result.is_some());
        let lost = |point: &&mut Point| point.run.as_ref().is_some_and(|id| !has_result(id));
        for point in record.points.iter_mut().filter(lost) {
            (point.outcome, point.run) = (Outcome::Pending, None);
            record.state = RunState::Incomplete;
        }
        for point in record.points.iter_mut().filter(|point| point.outcome == Outcome::Failed) {
            (point.outcome, point.error) = (Outcome::Pending, None);
            record.state = RunState::Incomplete;
        }
        if record.state == RunState::Complete {
            return Err(Error::usage(format!("sweep {} is complete", record.id))
                .hint(format!("tacho sweep --show {}", record.id)));
        }
        Ok(Self::of(record, base, context))
    }

    fn of(record: SweepRecord, base: Resolved, context: &Context) -> Self {
        let kept = |key: &str| {
            let setting = record.settings.iter().find(|(known, _)| known == key);
            setting.and_then(|(_, values)| values.first()).cloned()
        };
        let stop_past_peak = kept(STOP_PAST_PEAK).is_some_and(|value| value == "true");
        let stop_on_failure = kept(STOP_ON_FAILURE).is_some_and(|value| value == "true");
        let find_max = kept(FIND_MAX);
        let store = SweepStore::open(&context.folder);
        Self {
            record,
            base,
            store,
            stop_past_peak,
            stop_on_failure,
            find_max,
            hosts: None,
            claim: None,
            warmth: Warmth::default(),
            is_foreign: true,
        }
    }

    /// Returns true if the points run on load hosts.
    pub fn asks_for_hosts(&self) -> bool {
        self.base.is_given("hosts") || self.record.vary.iter().any(|vary| vary.key == "hosts")
    }

    /// Specifies how to find the load hosts.
    pub fn set_hosts(&mut self, hosts: Option<Wanted>) {
        self.hosts = hosts;
    }

    /// Returns the settings with which a sweep was started, by the names of their flags.
    pub fn flags(record: &SweepRecord) -> Vec<(String, Vec<String>)> {
        let is_of_sweep =
            |key: &str| [STOP_PAST_PEAK, STOP_ON_FAILURE, FIND_MAX, ORDER, DESIGN].contains(&key);
        record.settings.iter().filter(|(key, _)| !is_of_sweep(key)).cloned().collect()
    }

    /// Returns the path to the record.
    pub fn path(&self) -> PathBuf {
        self.store.path(&self.record)
    }

    /// Saves a new record and gives it an ID. Returns true if the record was new.
    pub(crate) fn create(&mut self) -> Result<bool> {
        let is_new = self.record.id.is_empty();
        if is_new {
            let id_seed = Seed(tacho_collect::wall_clock().as_nanos() as u64);
            self.record = self.store.create(self.record.clone(), id_seed)?;
        }
        Ok(is_new)
    }

    /// Checks that the servers can be measured. Also reads the original values of the settings that the sweep will
    /// change.
    fn begin(&mut self, context: &Context, listener: &mut dyn Listener) -> Result<Changes> {
        self.create()?;
        self.claim(context)?;
        self.require_targets(context)?;
        self.changes(context, listener)
    }

    /// Claims the sweep for this process. Returns an error if another process has measured points in the meantime.
    fn claim(&mut self, context: &Context) -> Result<()> {
        if self.claim.is_none() {
            self.claim = Some(self.store.claim(&self.record)?);
        }
        let (saved, store) = (self.store.find(&self.record.id)?, context.store());
        let mut others = saved.runs().filter(|id| self.record.runs().all(|known| known != *id));
        if others.any(|id| store.find(id).is_ok()) {
            let text = format!(
                "points of sweep {} were measured by another process in the meantime",
                saved.id
            );
            return Err(
                Error::usage(text).hint("repeat the command to measure the remaining points")
            );
        }
        Ok(())
    }

    /// Measures the remaining points. Returns the worst of the runs' exit codes.
    pub fn measure(&mut self, context: &Context, listener: &mut dyn Listener) -> Result<Exit> {
        let is_new = self.create()?;
        let changes = self.begin(context, listener);
        if is_new && changes.is_err() {
            // If the sweep was rejected, remove it, so that `sweep:latest` does not refer to it.
            self.store.remove(&self.record)?;
        }
        let mut changes = changes?;
        self.warmth = Warmth::of_running(context);
        let measured = self.points(&mut changes, context, listener);
        // Restore the settings even if a run failed.
        let back = changes.put_back(context, listener);
        if let (Err(error), Err(_)) = (&back, &measured) {
            listener.note(&error.to_string());
        }
        measured.and_then(|exit| back.map(|()| exit))
    }

    /// Returns an error if no target can be reached, because every point would then fail.
    fn require_targets(&self, context: &Context) -> Result<()> {
        let mut known: Vec<String> = Vec::new();
        let mut first = None;
        for point in self.ahead() {
            let job = Job::new(settings(&self.base, &self.record.vary, &point)?, context)?;
            let place = format!("{} {}", job.target.without_secrets().redacted(), job.sets());
            if known.contains(&place) {
                continue;
            }
            known.push(place);
            match reach(Request { job: &job, context }) {
                Ok(()) => return Ok(()),
                Err(error) => first = first.or(Some(error)),
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// Returns the points that have not been measured. For a search, returns only its first points, because its
    /// other points are not known yet.
    fn ahead(&self) -> Vec<Point> {
        if self.find_max.is_some() {
            return self.first_points();
        }
        let pending = |point: &&Point| point.outcome == Outcome::Pending;
        self.record.points.iter().filter(pending).cloned().collect()
    }

    /// Reads the server settings that the remaining points are going to change.
    fn changes(&self, context: &Context, listener: &mut dyn Listener) -> Result<Changes> {
        let mut jobs = Vec::new();
        for point in self.ahead() {
            let wanted = self.server_settings(&point, context)?;
            if !wanted.is_empty() {
                let resolved = settings(&self.base, &self.record.vary, &point)?;
                jobs.push((Job::new(resolved, context)?, wanted));
            }
        }
        Changes::prepare(jobs, &self.record.id, context, listener)
    }

    /// Returns the server settings of a point. Returns an error if they could run code that the user has not asked for.
    fn server_settings(&self, point: &Point, context: &Context) -> Result<Pairs> {
        let wanted = vary::server_settings(&self.record.vary, &point.values);
        if self.is_foreign {
            trust::require_server_settings(&wanted, &context.trust)?;
        }
        Ok(wanted)
    }

    /// Measures one point after another.
    fn points(
        &mut self,
        changes: &mut Changes,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<Exit> {
        let mut spent = Vec::new();
        let mut exits = Vec::new();
        while let Some(index) = self.next(context) {
            let begun = tacho_collect::wall_clock();
            let state = self.state(index, &spent);
            listener.point(state.clone());
            let exit = self.one(index, changes, context, listener)?;
            self.tell_outcome(&state, index, context, listener);
            exits.push(exit);
            spent.push(tacho_collect::wall_clock().saturating_sub(begun));
            if context.interrupted() {
                return Ok(Exit::Interrupted);
            }
            if self.stop_on_failure && is_failure(exit) {
                listener.note("stopped because a run failed");
                return Ok(Exit::first_of(&exits));
            }
        }
        if self.is_broken_off() {
            listener.note("stopped: a search ends when a run fails");
        } else {
            if self.lacks_data(context) {
                listener.note(
                    "stopped: too few transactions to evaluate the limit; measure \
                    longer with --duration",
                );
            }
            self.record.state = self.record.state_at_end();
        }
        self.store.save(&self.record)?;
        Ok(self.answered(Exit::first_of(&exits)))
    }

    /// Measures one point and saves its outcome.
    fn one(
        &mut self,
        index: usize,
        changes: &mut Changes,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Result<Exit> {
        let exit = self.point(index, changes, context, listener);
        self.skip_past_peak(index, context);
        self.tell_calibration(index, context, listener);
        self.store.save(&self.record)?;
        Ok(exit)
    }

    /// Returns the sweep's exit code. A search that finds no rate has failed, even if no run failed.
    fn answered(&self, exit: Exit) -> Exit {
        let is_found = self.record.searches().any(|(_, found)| found.holds_at_per_s.is_some());
        match exit {
            Exit::Success if self.find_max.is_some() && !is_found => Exit::Threshold,
            other => other,
        }
    }

    /// Returns the next point. In a search, a point is created once its rate is known.
    fn next(&mut self, context: &Context) -> Option<usize> {
        let pending = |point: &Point| point.outcome == Outcome::Pending;
        if let Some(index) = self.record.points.iter().position(pending) {
            return Some(index);
        }
        self.next_in_search(context)
    }

    /// Measures one point. If its run cannot start, records the error, and the sweep continues.
    fn point(
        &mut self,
        index: usize,
        changes: &mut Changes,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Exit {
        let mut warmth = std::mem::take(&mut self.warmth);
        let measured = settings(&self.base, &self.record.vary, &self.record.points[index])
            .and_then(|resolved| self.limited(index, resolved))
            .and_then(|resolved| Job::new(resolved, context))
            .and_then(|mut job| {
                let wanted = self.server_settings(&self.record.points[index], context)?;
                job.wanted.clone_from(&self.hosts);
                if !wanted.is_empty() {
                    job.server_settings =
                        changes.apply(Request::new(&job, context), &wanted, listener)?;
                }
                let request = Request::new(&job, context);
                warmth.warm_up(request, listener);
                start_alike(request, listener);
                run(request, listener)
            });
        self.warmth = warmth;
        let tries_sessions = self.tries_sessions(&self.record.points[index]);
        let point = &mut self.record.points[index];
        match measured {
            // An interrupted run is not comparable with a complete one, so its point is measured again.
            Ok(report) if report.exit == Exit::Interrupted => Exit::Interrupted,
            // The run has no record, probably because the disk is full, so it cannot be compared with other runs.
            Ok(report) if report.folder.as_os_str().is_empty() => {
                let text = format!("the record of run {} could not be saved", report.record.id);
                listener.note(&format!("this point failed: {text}"));
                point.outcome = Outcome::Failed;
                point.error = Some(text);
                Exit::Target
            }
            Ok(report) => {
                point.outcome = Outcome::Measured;
                point.run = Some(report.record.id);
                self.meaning(report.exit)
            }
            Err(error) if context.interrupted() && error.kind() == ErrorKind::Cancelled => {
                Exit::Interrupted
            }
            Err(error) if tries_sessions => {
                listener.note(&format!("the search continues with fewer sessions: {error}"));
                point.outcome = Outcome::Skipped;
                point.error = Some(error.to_string());
                Exit::Success
            }
            Err(error) => {
                listener.note(&format!("this point failed: {error}"));
                for hint in error.hints() {
                    listener.note(&format!("  hint: {hint}"));
                }
                point.outcome = Outcome::Failed;
                point.error = Some(error.to_string());
                Exit::of(&error)
            }
        }
    }

    /// Returns the exit code of a run in a sweep. In a search, exceeding the limit is a valid outcome.
    fn meaning(&self, exit: Exit) -> Exit {
        match exit {
            Exit::Threshold | Exit::Invalid if self.find_max.is_some() => Exit::Success,
            other => other,
        }
    }

    /// Adds a search's limit as a threshold to a point's settings. The first point has no rate and therefore no limit.
    fn limited(&self, index: usize, resolved: Resolved) -> Result<Resolved> {
        // The limit applies to runs at a fixed rate. It also applies to a single run that tries all rates of the
        // search as the steps of its load.
        let is_limited =
            !self.is_closed(&self.record.points[index]) || resolved.plan.steps.is_some();
        let Some(limit) = self.find_max.as_ref().filter(|_| is_limited) else {
            return Ok(resolved);
        };
        let mut limits = resolved.plan.judgement.thresholds.clone();
        limits.push(limit.clone());
        // Each window of a search has its own seed, because with the same seed, they would all have the same
        // random arrivals.
        let seed = resolved.plan.load.seed.0.wrapping_add(index as u64);
        resolved.with("threshold", &limits)?.with("seed", &[seed.to_string()])
    }

    /// Skips the remaining points of a series if its throughput is past the peak.
    fn skip_past_peak(&mut self, index: usize, context: &Context) {
        if !self.stop_past_peak || self.record.points[index].equal_side.is_some() {
            return;
        }
        let group = |point: &Point| point.values.split_last().map(|(_, others)| others.to_vec());
        let first = group(&self.record.points[index]);
        let in_group: Vec<usize> = (0..self.record.points.len())
            .filter(|at| {
                let point = &self.record.points[*at];
                point.equal_side.is_none() && group(point) == first
            })
            .collect();
        let measured: Vec<f64> = in_group
            .iter()
            .filter(|at| **at <= index)
            .filter_map(|at| {
                Some(result(&self.record.points[*at], context)?.result?.throughput_per_s)
            })
            .collect();
        if past_peak(&measured) {
            for at in in_group.into_iter().filter(|at| *at > index) {
                self.record.points[at].outcome = Outcome::Skipped;
            }
        }
    }

    /// Reports the result of the calibration once it is complete.
    fn tell_calibration(&self, index: usize, context: &Context, listener: &mut dyn Listener) {
        let points = &self.record.points;
        let is_last = points.get(index + 1).is_none_or(|next| next.equal_side.is_none());
        if points[index].equal_side.is_none() || !is_last {
            return;
        }
        let store = context.store();
        let view = SweepView::of(self.record.clone(), |id| Some(store.find(id).ok()?.record));
        match &view.calibration {
            Some(calibration) => calibration_sentences(calibration, view.repeats())
                .iter()
                .for_each(|sentence| listener.note(sentence)),
            None => listener.note("The calibration does not have enough measured runs."),
        }
    }

    /// Reports the main result and the verdict of a run that has just finished.
    fn tell_outcome(
        &self,
        state: &PointState,
        index: usize,
        context: &Context,
        listener: &mut dyn Listener,
    ) {
        let record = result(&self.record.points[index], context);
        if let Some(outcome) = record.as_ref().and_then(run_in_brief) {
            let PointState { number, count, values, .. } = state;
            listener.note(&format!("{number} of {count} {values}: {outcome}"));
        }
    }

    fn state(&self, index: usize, spent: &[Duration]) -> PointState {
        let points = &self.record.points;
        let left = points.iter().filter(|point| point.outcome == Outcome::Pending).count() as u32;
        let each = match spent.len() as u32 {
            0 => planned(&self.base),
            count => Some(spent.iter().sum::<Duration>() / count),
        };
        PointState {
            number: index + 1,
            count: points.len(),
            values: match &self.base.plan.steps {
                Some(load) if self.find_max.is_some() && points[index].values.is_empty() => {
                    load.expression.clone()
                }
                Some(load) if self.find_max.is_some() => {
                    let fixed = &self.record.vary[..self.record.fixed()];
                    format!("{}: {}", words(fixed, &points[index]), load.expression)
                }
                _ => words(&self.record.vary, &points[index]),
            },
            // Do not estimate the remaining time of a search, because the number of rates to be tried is not known in
            // advance.
            remaining: each.filter(|_| self.find_max.is_none()).map(|each| each * left),
        }
    }
}

/// Makes a private server write a checkpoint, so that the next run starts without changed data in memory.
fn start_alike(request: Request<'_>, listener: &mut dyn Listener) {
    let Request { job, context } = request;
    if private_server(request).is_none() {
        return;
    }
    if let Err(error) = checkpoint(job.driver.as_ref(), &job.target, job.first_set(), context) {
        listener.note(&format!("this run starts without a checkpoint: {error}"));
    }
}

/// Opens and closes a session. Skips the embedded database, which may not exist yet.
fn reach(request: Request<'_>) -> Result<()> {
    let Request { job, context } = request;
    if job.embedded {
        return Ok(());
    }
    let access = Access::new(job)?;
    let session = access.connect(request)?;
    access.to_the_end(context, session.close())
}

fn pending_point(values: Vec<String>, repetition: u32) -> Point {
    Point {
        values,
        repetition,
        equal_side: None,
        headroom: false,
        outcome: Outcome::Pending,
        run: None,
        error: None,
    }
}

/// Describes a point by its values, such as `form=sql sessions=8`.
fn words(vary: &[Varied], point: &Point) -> String {
    if point.values.is_empty() {
        return "no rate".into();
    }
    let pairs = vary.iter().zip(&point.values);
    let pairs = pairs.map(|(varied, value)| format!("{}={value}", varied.key));
    let pairs = pairs.collect::<Vec<_>>().join(" ");
    match point.equal_side {
        Some(side) => format!("calibration, side {side} of 2: {pairs}"),
        None if point.headroom => format!("60 % of the highest rate: {pairs}"),
        None if point.values.len() < vary.len() => format!("{pairs} without a rate"),
        None => pairs,
    }
}

/// Returns the settings for a point. Each repetition has its own seed. If all repetitions used the same random inputs,
/// their results would vary less than they should.
fn settings(base: &Resolved, vary: &[Varied], point: &Point) -> Result<Resolved> {
    let resolved = vary::apply(base, vary, &point.values)?;
    if point.repetition == 1 || vary.iter().any(|varied| varied.key == "seed") {
        return Ok(resolved);
    }
    let seed = base.plan.load.seed.0.wrapping_add(u64::from(point.repetition - 1));
    resolved.with("seed", &[seed.to_string()])
}

fn is_unreported(result: &ResultRecord) -> bool {
    result.valid && result.thresholds.iter().any(|threshold| threshold.measured.is_none())
}

fn result(point: &Point, context: &Context) -> Option<Record> {
    Some(context.store().find(point.run.as_deref()?).ok()?.record)
}

fn past_peak(measured: &[f64]) -> bool {
    let Some(split) = measured.len().checked_sub(PAST_PEAK_POINTS).filter(|split| *split > 0)
    else {
        return false;
    };
    let (before, last) = measured.split_at(split);
    let best = before.iter().copied().fold(0.0, f64::max);
    last.iter().all(|value| *value < PAST_PEAK * best)
}

/// Returns the planned duration of a run, excluding data loads and checks.
fn planned(base: &Resolved) -> Option<Duration> {
    let load = &base.plan.load;
    let Stop::After(measured) = load.stop else { return None };
    Some(load.ramp_up + measured + load.ramp_down)
}

fn is_failure(exit: Exit) -> bool {
    !matches!(exit, Exit::Success | Exit::Threshold | Exit::NotSteady | Exit::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_passed_by_two_points_in_a_row() {
        for (measured, passed) in [
            (&[10.0, 20.0, 30.0][..], false),
            (&[10.0, 20.0, 18.0], false),
            (&[10.0, 20.0, 18.0, 17.0], true),
            (&[10.0, 20.0, 18.0, 19.5], false),
            (&[20.0, 18.0], false),
            (&[], false),
        ] {
            assert_eq!(past_peak(measured), passed, "{measured:?}");
        }
    }
}
