//! Runs over lists of values: the performance profile, one setting against another, the highest
//! rate that holds.
//!
//! It must never lose what was measured: the record is saved after every run, and a sweep that was
//! cut off continues from there. Start reading at [`Sweep::new`] and [`Sweep::measure`].

mod order;
mod plan;
mod search;
mod together;
mod vary;

use std::path::PathBuf;
use std::time::Duration;

use tacho_analysis::SweepView;
use tacho_config::{Order, Resolved, Stop};
use tacho_core::units::parse_rate;
use tacho_core::{Error, ErrorKind, Result, Seed};
use tacho_report::calibration_sentences;
use tacho_store::event::PointState;
use tacho_store::record::{Record, ResultRecord, RunState, StepRecord};
use tacho_store::sweep::{Found, Outcome, Point, SweepRecord, Varied};
use tacho_store::{Claim, Listener, SweepStore};

use crate::access::Access;
use crate::settings::Changes;
use crate::{Context, Exit, Job, Request, Wanted, run};

pub(crate) use together::Together;
pub(crate) use vary::with_option;

/// What a sweep is asked for, next to the settings of its runs.
#[derive(Clone, Debug, Default)]
pub struct SweepRequest {
    /// `KEY=VALUE,VALUE,…`, once for each key.
    pub vary: Vec<String>,
    /// Runs of each combination.
    pub repeat: u32,
    /// The order of repeated runs.
    pub order: Order,
    /// Whether to leave out what lies past the peak.
    pub stop_past_peak: bool,
    /// Whether equal runs are measured against each other first.
    pub calibrate: bool,
    /// The relative change to detect, such as `3%`; asks for a calibration.
    pub detect: Option<String>,
    /// Whether a run that fails ends the sweep.
    pub stop_on_failure: bool,
    /// The limit whose highest rate is searched for.
    pub find_max: Option<String>,
}

/// A sweep that can be measured, from the start or from where it was cut off.
pub struct Sweep {
    /// The record as it is now.
    pub record: SweepRecord,
    base: Resolved,
    store: SweepStore,
    stop_past_peak: bool,
    stop_on_failure: bool,
    find_max: Option<String>,
    hosts: Option<Wanted>,
    /// Keeps other processes from measuring it; held from the first point on.
    claim: Option<Claim>,
}

/// Keys under which a request is kept in the record.
const STOP_PAST_PEAK: &str = "stop_past_peak";
const STOP_ON_FAILURE: &str = "stop_on_failure";
const FIND_MAX: &str = "find_max";
const ORDER: &str = "order";
/// The setting that a search varies.
const RATE: &str = "rate";
/// Throughput below this share of the best so far is past the peak.
const PAST_PEAK: f64 = 0.95;
/// Points in a row that must be past it.
const PAST_PEAK_POINTS: usize = 2;

impl Sweep {
    /// Checks a request and lays out its points. Nothing is touched.
    pub fn new(mut base: Resolved, request: &SweepRequest, context: &Context) -> Result<Self> {
        let record = plan::record(&mut base, request, context)?;
        Ok(Self::of(record, base, context))
    }

    /// Resumes a sweep that was cut off. `base` are the settings that it was begun with.
    /// What has failed or lost its run is measured again.
    pub fn resume(mut record: SweepRecord, base: Resolved, context: &Context) -> Result<Self> {
        let store = context.store();
        let lost = |own: &&mut Point| own.run.as_ref().is_some_and(|id| store.find(id).is_err());
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
            let own = record.settings.iter().find(|(known, _)| known == key);
            own.and_then(|(_, values)| values.first()).cloned()
        };
        let stop_past_peak = kept(STOP_PAST_PEAK).is_some_and(|value| value == "true");
        let stop_on_failure = kept(STOP_ON_FAILURE).is_some_and(|value| value == "true");
        let find_max = kept(FIND_MAX);
        let store = SweepStore::open(&context.folder);
        let (hosts, claim) = (None, None);
        Self { record, base, store, stop_past_peak, stop_on_failure, find_max, hosts, claim }
    }

    /// Whether its points run over load hosts.
    pub fn asks_for_hosts(&self) -> bool {
        self.base.is_given("hosts") || self.record.vary.iter().any(|vary| vary.key == "hosts")
    }

    /// Says where the load hosts are.
    pub fn set_hosts(&mut self, hosts: Option<Wanted>) {
        self.hosts = hosts;
    }

    /// The settings that a sweep was begun with, as flags.
    pub fn flags(record: &SweepRecord) -> Vec<(String, Vec<String>)> {
        let own = |key: &str| [STOP_PAST_PEAK, STOP_ON_FAILURE, FIND_MAX, ORDER].contains(&key);
        record.settings.iter().filter(|(key, _)| !own(key)).cloned().collect()
    }

    /// The file of the record.
    pub fn path(&self) -> PathBuf {
        self.store.path(&self.record)
    }

    /// Writes the record of a sweep that has none, so that its id is known; says whether it had to.
    pub(crate) fn create(&mut self) -> Result<bool> {
        let is_new = self.record.id.is_empty();
        if is_new {
            let id_seed = Seed(tacho_collect::wall_clock().as_nanos() as u64);
            self.record = self.store.create(self.record.clone(), id_seed)?;
        }
        Ok(is_new)
    }

    /// Makes sure that the servers can be measured, and looks at the settings that will change.
    fn begin(&mut self, context: &Context, listener: &mut dyn Listener) -> Result<Changes> {
        self.create()?;
        self.claim(context)?;
        self.require_targets(context)?;
        self.changes(context, listener)
    }

    /// Claims the sweep for this process, and fails if another one has measured points of it meanwhile.
    fn claim(&mut self, context: &Context) -> Result<()> {
        if self.claim.is_none() {
            self.claim = Some(self.store.claim(&self.record)?);
        }
        let (saved, store) = (self.store.find(&self.record.id)?, context.store());
        let mut others = saved.runs().filter(|id| self.record.runs().all(|own| own != *id));
        if others.any(|id| store.find(id).is_ok()) {
            let text = format!("another process has measured points of sweep {}", saved.id);
            return Err(Error::usage(text).hint("repeat the command to continue with what is left"));
        }
        Ok(())
    }

    /// Measures what is left. The exit code is that of the worst run.
    pub fn measure(&mut self, context: &Context, listener: &mut dyn Listener) -> Result<Exit> {
        let is_new = self.create()?;
        let changes = self.begin(context, listener);
        if is_new && changes.is_err() {
            // A sweep that was refused is none that `latest` should name.
            self.store.remove(&self.record)?;
        }
        let mut changes = changes?;
        let measured = self.points(&mut changes, context, listener);
        // Whatever became of the runs.
        let back = changes.put_back(context, listener);
        if let (Err(error), Err(_)) = (&back, &measured) {
            listener.note(&error.to_string());
        }
        measured.and_then(|exit| back.map(|()| exit))
    }

    /// Fails if no target that is measured exists and lets us in: each point would fail in the same way.
    fn require_targets(&self, context: &Context) -> Result<()> {
        let mut known: Vec<String> = Vec::new();
        let mut first = None;
        for point in self.record.points.iter().filter(|own| own.outcome == Outcome::Pending) {
            let job = Job::new(settings(&self.base, &self.record.vary, point)?, context)?;
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

    /// Looks at the settings of servers that the points left will change.
    fn changes(&self, context: &Context, listener: &mut dyn Listener) -> Result<Changes> {
        let pending = self.record.points.iter().filter(|own| own.outcome == Outcome::Pending);
        let mut jobs = Vec::new();
        for point in pending {
            let wanted = vary::server_settings(&self.record.vary, &point.values);
            if !wanted.is_empty() {
                let resolved = settings(&self.base, &self.record.vary, point)?;
                jobs.push((Job::new(resolved, context)?, wanted));
            }
        }
        Changes::prepare(jobs, &self.record.id, context, listener)
    }

    /// Measures point after point.
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
            listener.point(self.state(index, &spent));
            let exit = self.one(index, changes, context, listener)?;
            exits.push(exit);
            spent.push(tacho_collect::wall_clock().saturating_sub(begun));
            if context.interrupted() {
                return Ok(Exit::Interrupted);
            }
            if self.stop_on_failure && is_failure(exit) {
                listener.note("stopped, since a run has failed");
                return Ok(Exit::first_of(&exits));
            }
        }
        if self.is_broken_off() {
            listener.note("stopped: a search ends at a run that failed");
        } else {
            if self.lacks_data(context) {
                listener.note("stopped: too few transactions to judge the limit; measure longer with --duration");
            }
            self.record.state = self.record.state_at_end();
        }
        self.store.save(&self.record)?;
        Ok(self.answered(Exit::first_of(&exits)))
    }

    /// Measures one point and saves what came of it.
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

    /// A search that found no rate has not given what it was asked for, though no run failed.
    fn answered(&self, exit: Exit) -> Exit {
        let found = self.record.found.as_ref().and_then(|own| own.holds_at_per_s);
        match exit {
            Exit::Success if self.find_max.is_some() && found.is_none() => Exit::Threshold,
            other => other,
        }
    }

    /// The next point; in a search it is made when it is known.
    fn next(&mut self, context: &Context) -> Option<usize> {
        let pending = |point: &Point| point.outcome == Outcome::Pending;
        if let Some(index) = self.record.points.iter().position(pending) {
            return Some(index);
        }
        let limit = self.find_max.clone()?;
        if self.base.plan.steps.is_some() {
            self.record.found = self.found_in_steps(&limit, context);
            return None;
        }
        let (capacity, tried) = self.tried(context)?;
        self.record.found = Some(Found {
            limit,
            holds_at_per_s: search::highest_holding(&tried),
            fails_at_per_s: search::lowest_failing(&tried),
            in_steps: false,
        });
        if self.is_broken_off() || self.lacks_data(context) {
            return None;
        }
        let rate = search::next(capacity, &tried)?;
        let values = vec![rate.to_string()];
        let before = self.record.points.iter().filter(|point| point.values == values).count();
        self.record.points.push(pending_point(values, before as u32 + 1));
        Some(self.record.points.len() - 1)
    }

    /// Whether a search came upon a run that failed: that says nothing of the limit, so it ends there
    /// and can be resumed.
    fn is_broken_off(&self) -> bool {
        let last = self.record.points.last();
        self.find_max.is_some() && last.is_some_and(|own| own.outcome == Outcome::Failed)
    }

    /// Whether a search came to a rate at which the limit could not be judged. At lower ones there is even
    /// less to judge it by.
    fn lacks_data(&self, context: &Context) -> bool {
        let Some((_, [.., last])) = self.record.points.split_first() else { return false };
        self.find_max.is_some()
            && result(last, context)
                .and_then(|own| own.result)
                .is_some_and(|own| is_unreported(&own))
    }

    /// What the steps of one run have shown: the highest rate below the lowest at which the limit did not hold.
    fn found_in_steps(&self, limit: &str, context: &Context) -> Option<Found> {
        let result = result(self.record.points.first()?, context)?.result?;
        let rate = |own: &StepRecord| own.step.rate_per_s;
        let tried = result.steps.iter().filter_map(|own| {
            let rate = rate(own).filter(|rate| *rate > 0.0)?;
            Some(search::Tried { rate, holds: own.holds() })
        });
        let tried: Vec<search::Tried> = tried.collect();
        Some(Found {
            limit: limit.to_owned(),
            holds_at_per_s: search::highest_holding(&tried),
            fails_at_per_s: search::lowest_failing(&tried),
            in_steps: true,
        })
    }

    /// Throughput without a limit, and what the rates so far have shown.
    fn tried(&self, context: &Context) -> Option<(f64, Vec<search::Tried>)> {
        let (first, rates) = self.record.points.split_first()?;
        let capacity = result(first, context)?.result?.throughput_per_s;
        let measured = rates.iter().filter(|point| point.outcome == Outcome::Measured);
        let tried = measured.filter_map(|point| {
            let rate = parse_rate(point.values.first()?).ok()?;
            let result = result(point, context).and_then(|record| record.result);
            if result.as_ref().is_some_and(is_unreported) {
                return None;
            }
            let holds = result.is_some_and(|own| {
                own.valid && own.thresholds.iter().all(|threshold| threshold.passed)
            });
            Some(search::Tried { rate, holds })
        });
        Some((capacity, tried.collect()))
    }

    /// Measures one point. That a run cannot begin is part of the record, and not the end.
    fn point(
        &mut self,
        index: usize,
        changes: &mut Changes,
        context: &Context,
        listener: &mut dyn Listener,
    ) -> Exit {
        let wanted = vary::server_settings(&self.record.vary, &self.record.points[index].values);
        let measured = settings(&self.base, &self.record.vary, &self.record.points[index])
            .and_then(|resolved| self.limited(index, resolved))
            .and_then(|resolved| Job::new(resolved, context))
            .and_then(|mut job| {
                job.wanted.clone_from(&self.hosts);
                if !wanted.is_empty() {
                    job.server_settings =
                        changes.apply(Request::new(&job, context), &wanted, listener)?;
                }
                run(Request { job: &job, context }, listener)
            });
        let point = &mut self.record.points[index];
        match measured {
            // A run that the user cut short measures something else: it is made again.
            Ok(report) if report.exit == Exit::Interrupted => Exit::Interrupted,
            Ok(report) => {
                point.outcome = Outcome::Measured;
                point.run = Some(report.record.id);
                self.meaning(report.exit)
            }
            Err(error) if context.interrupted() && error.kind() == ErrorKind::Cancelled => {
                Exit::Interrupted
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

    /// In a search a limit that is crossed is an answer.
    fn meaning(&self, exit: Exit) -> Exit {
        match exit {
            Exit::Threshold | Exit::Invalid if self.find_max.is_some() => Exit::Success,
            other => other,
        }
    }

    /// Adds the limit of a search to all its points but the first.
    fn limited(&self, index: usize, resolved: Resolved) -> Result<Resolved> {
        // The first run of a search has no limit, unless its steps are the search.
        let is_limited = index > 0 || resolved.plan.steps.is_some();
        let Some(limit) = self.find_max.as_ref().filter(|_| is_limited) else {
            return Ok(resolved);
        };
        let mut limits = resolved.plan.judgement.thresholds.clone();
        limits.push(limit.clone());
        resolved.with("threshold", &limits)
    }

    /// Leaves out the rest of a ladder once throughput falls.
    fn skip_past_peak(&mut self, index: usize, context: &Context) {
        if !self.stop_past_peak || self.record.points[index].equal_side.is_some() {
            return;
        }
        let group = |point: &Point| point.values.split_last().map(|(_, others)| others.to_vec());
        let own = group(&self.record.points[index]);
        let in_group: Vec<usize> = (0..self.record.points.len())
            .filter(|at| {
                let point = &self.record.points[*at];
                point.equal_side.is_none() && group(point) == own
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

    /// Says what the calibration has shown, as soon as it is over.
    fn tell_calibration(&self, index: usize, context: &Context, listener: &mut dyn Listener) {
        let points = &self.record.points;
        let is_last = points.get(index + 1).is_none_or(|next| next.equal_side.is_none());
        if points[index].equal_side.is_none() || !is_last {
            return;
        }
        let store = context.store();
        let view = SweepView::of(self.record.clone(), |id| Some(store.find(id).ok()?.record));
        match &view.calibration {
            Some(own) => calibration_sentences(own, view.repeats())
                .iter()
                .for_each(|sentence| listener.note(sentence)),
            None => listener.note("The calibration has too few runs that were measured."),
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
                Some(load) if self.find_max.is_some() => load.expression.clone(),
                _ => words(&self.record.vary, &points[index]),
            },
            // The number of rates that a search will take is unknown.
            remaining: each.filter(|_| self.find_max.is_none()).map(|each| each * left),
        }
    }
}

/// Opens a session and closes it. The embedded database is made when it is missing.
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
        outcome: Outcome::Pending,
        run: None,
        error: None,
    }
}

/// What a point measures, such as `form=sql sessions=8`.
fn words(vary: &[Varied], point: &Point) -> String {
    if point.values.is_empty() {
        return "as fast as it goes".into();
    }
    let pairs = vary.iter().zip(&point.values);
    let pairs = pairs.map(|(varied, value)| format!("{}={value}", varied.key));
    let pairs = pairs.collect::<Vec<_>>().join(" ");
    match point.equal_side {
        Some(side) => format!("calibration, side {side} of two equal ones: {pairs}"),
        None => pairs,
    }
}

/// The settings of a point. Repetitions have seeds of their own: equal inputs would hide how much
/// chance there is.
fn settings(base: &Resolved, vary: &[Varied], point: &Point) -> Result<Resolved> {
    let resolved = vary::apply(base, vary, &point.values)?;
    if point.repetition == 1 || vary.iter().any(|varied| varied.key == "seed") {
        return Ok(resolved);
    }
    let seed = base.plan.load.seed.0.wrapping_add(u64::from(point.repetition - 1));
    resolved.with("seed", &[seed.to_string()])
}

/// The record of the run that measured a point.
/// Whether a good run had too little data for a limit.
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

/// Time of a run as planned, without build and checks.
fn planned(base: &Resolved) -> Option<Duration> {
    let load = &base.plan.load;
    let Stop::After(measured) = load.stop else { return None };
    Some(load.ramp_up + measured + load.ramp_down)
}

/// Whether a run gave nothing that could be used.
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
