//! What the view knows: the last snapshot of each sort, and the history of the intervals.
//!
//! Start reading at [`Model::apply`].

use std::time::Duration;

use tacho_config::Stop;
use tacho_core::units::grouped;
use tacho_store::event::{PointState, Standing, StreamState};
use tacho_store::record::Record;
use tacho_store::{Event, IntervalRecord, ServerIntervalRecord};

use crate::history::{ALL, History};
use crate::words::clean;

/// Messages that are kept for the view; all of them are printed after the run.
const NOTES_MAX: usize = 100;

/// What is measured, for the title.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Subject {
    /// The workload.
    pub(crate) workload: String,
    /// The target, in the user's words.
    pub(crate) target: String,
    /// Sessions and arrival, in words.
    pub(crate) load: String,
    /// The run's id.
    pub(crate) run: String,
    /// Steps of a load that changes; 0 of one that stays the same.
    pub(crate) steps: usize,
    /// Planned length of all phases together, if it is known.
    pub(crate) planned_s: Option<f64>,
}

impl Subject {
    /// That of a run that begins.
    pub(crate) fn of(record: &Record) -> Self {
        let plan = &record.plan;
        let load = &plan.load;
        let plural = if load.sessions == 1 { "" } else { "s" };
        let rate = load.arrival.rate.map_or_else(String::new, |rate| format!(", {rate}/s"));
        let streams = match plan.streams {
            0 => String::new(),
            1 => " + 1 stream".into(),
            streams => format!(" + {streams} streams"),
        };
        Self {
            workload: clean(&plan.workload),
            target: clean(&plan.target_name),
            load: format!("{} session{plural}{streams}{rate}", load.sessions),
            run: record.id.clone(),
            steps: plan.steps.as_ref().map_or(0, |own| own.steps.len()),
            planned_s: match load.stop {
                Stop::After(length) => Some((load.ramp_up + length + load.ramp_down).as_secs_f64()),
                Stop::Count(_) | Stop::Done => None,
            },
        }
    }
}

/// Everything that the view knows.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub(crate) subject: Subject,
    pub(crate) phase: String,
    pub(crate) phase_length: Option<Duration>,
    pub(crate) phase_begin_s: f64,
    pub(crate) last: Option<IntervalRecord>,
    pub(crate) standing: Option<Standing>,
    pub(crate) server: Option<ServerIntervalRecord>,
    pub(crate) streams: (Duration, Vec<StreamState>),
    pub(crate) history: History,
    pub(crate) point: String,
    pub(crate) activity: String,
    pub(crate) notes: Vec<String>,
    /// Messages in all, those included that are no longer kept.
    pub(crate) noted: u64,
    pub(crate) stopping: bool,
    /// Snapshots for which the channel had no room.
    pub(crate) lost: u64,
    /// Time since the last interval, by the clock on the wall.
    pub(crate) since: Duration,
}

impl Model {
    /// Applies an event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Begins { record, .. } => self.begin(Subject::of(record)),
            Event::Phase { phase, length } => {
                (self.phase, self.phase_length) = (phase.clone(), *length);
                self.phase_begin_s = self.last.as_ref().map_or(0.0, |last| last.at_s);
                self.since = Duration::ZERO;
                self.activity.clear();
            }
            Event::Interval { interval } => {
                self.history.push(interval);
                self.last = Some(interval.as_ref().clone());
                self.since = Duration::ZERO;
            }
            Event::Standing { standing } => {
                if let Some(host) = &standing.host {
                    self.history.host(host);
                }
                self.standing = Some(standing.as_ref().clone());
            }
            Event::Server { server } => {
                self.history.server(server);
                self.server = Some(server.as_ref().clone());
            }
            Event::Streams { at, streams } => self.streams = (*at, streams.clone()),
            Event::Point { point } => {
                let PointState { number, count, values, .. } = point;
                self.point = clean(&format!("{number} of {count}: {values}"));
            }
            Event::Build { build } => {
                let (done, all) = (grouped(build.rows), grouped(build.all_rows()));
                self.activity = format!("making data: {done} of {all} rows");
            }
            Event::Check { check } => {
                let (done, all) = (check.done, check.count);
                self.activity = format!("checking: {done} of {all} questions answered");
            }
            Event::Ending { step } => self.activity = clean(step),
            Event::BuildOver | Event::CheckOver => self.activity.clear(),
            Event::Note { text } => {
                self.noted += 1;
                self.notes.push(clean(text));
                if self.notes.len() > NOTES_MAX {
                    self.notes.remove(0);
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, subject: Subject) {
        let before = std::mem::take(self);
        *self = Self {
            subject,
            point: before.point,
            notes: before.notes,
            noted: before.noted,
            stopping: before.stopping,
            lost: before.lost,
            ..Self::default()
        };
    }

    /// Time since the begin of the present phase.
    pub(crate) fn elapsed(&self) -> Duration {
        let at_s = self.last.as_ref().map_or(0.0, |last| last.at_s);
        let reported = Duration::from_secs_f64((at_s - self.phase_begin_s).max(0.0));
        // No more than an interval: on virtual time the clock on the wall says nothing.
        let length =
            self.last.as_ref().map_or(Duration::MAX, |last| Duration::from_secs_f64(last.length_s));
        let elapsed = reported + self.since.min(length);
        self.phase_length.map_or(elapsed, |length| elapsed.min(length))
    }

    /// The names that can be chosen: transactions, `all`, then queries of streams next to them.
    pub(crate) fn names(&self) -> Vec<&str> {
        if let Some(standing) = &self.standing {
            let own = standing.transactions.iter().map(|one| one.name.as_str());
            let queries = standing.queries.iter().map(|one| one.name.as_str());
            return own.chain(queries.filter(|name| *name != ALL)).collect();
        }
        let reported = self.last.iter().flat_map(|last| &last.transactions);
        let names: Vec<&str> = reported.map(|one| one.name.as_str()).collect();
        if names.is_empty() { names } else { names.into_iter().chain([ALL]).collect() }
    }
}
