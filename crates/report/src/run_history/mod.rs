//! The state of a measurement, collected from events for the terminal view, `tacho watch` and the web view.
//!
//! Start reading at [`RunHistory::apply`].

mod steps;
mod timeline;

use std::collections::VecDeque;
use std::time::Duration;

use tacho_analysis::{Measurement, clean};
use tacho_core::units::grouped;
use tacho_store::event::{HostState, PointState, Standing, StreamState};
use tacho_store::record::{HeadlineRecord, Record, ResultRecord};
use tacho_store::{Event, IntervalRecord, Merged, ServerIntervalRecord};

pub use timeline::{ALL, ChartPoint, Latency, SeenWait, Timeline, throughput};

/// Maximum number of messages, and also of marks on the time axis, that are kept.
const MESSAGES_MAX: usize = 100;

/// Everything that is known about a measurement from its events so far.
#[derive(Clone, Debug, Default)]
pub struct RunHistory {
    /// The record as it was at the start of the measurement.
    pub record: Option<Box<Record>>,
    /// Name of the current phase; empty before the first one.
    pub phase: String,
    /// Planned length of the phase, if it has one.
    pub phase_length: Option<Duration>,
    /// Time at which the phase started, relative to the start of the run.
    pub phase_from_s: f64,
    /// The most recent interval.
    pub interval: Option<IntervalRecord>,
    /// Results of the phase so far.
    pub standing: Option<Standing>,
    /// Server activity in the most recent interval, if the server is monitored.
    pub server: Option<ServerIntervalRecord>,
    /// Load on the observed machines in the most recent interval.
    pub hosts: Vec<HostState>,
    /// The states of streams that end by themselves, and the time at which they were reported. The
    /// time is relative to the start of the load.
    pub streams: (Duration, Vec<StreamState>),
    /// The intervals as chart columns.
    pub timeline: Timeline,
    /// The current point of a sweep; empty if there is no sweep.
    pub point: String,
    /// Work before or after the load that is now in progress, such as generating data or checking it. Empty while the
    /// load runs.
    pub activity: String,
    /// The most recent messages.
    pub notes: VecDeque<String>,
    /// Total number of messages, including those that have been discarded.
    pub noted: u64,
    /// The most recent marks, each with its time relative to the start of the run.
    pub marks: VecDeque<(f64, String)>,
    intervals: Merged<IntervalRecord>,
    servers: Merged<ServerIntervalRecord>,
}

impl RunHistory {
    /// Applies an event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Begins { record, .. } => self.begin(record),
            Event::Phase { phase, length } => {
                (self.phase, self.phase_length) = (phase.clone(), *length);
                self.phase_from_s = self.reported_s();
                self.activity.clear();
            }
            Event::Interval { interval } => {
                self.timeline.push(interval);
                self.intervals.push(interval.as_ref().clone());
                self.interval = Some(interval.as_ref().clone());
            }
            Event::Standing { standing } => {
                if let Some(host) = &standing.host {
                    self.timeline.host(host);
                }
                self.standing = Some(standing.as_ref().clone());
            }
            Event::Server { server } => {
                self.timeline.server(server);
                self.servers.push(server.as_ref().clone());
                self.server = Some(server.as_ref().clone());
            }
            Event::Host { hosts, .. } => self.hosts.clone_from(hosts),
            Event::Mark { at_s, text, .. } => keep(&mut self.marks, (*at_s, clean(text))),
            Event::Streams { at, streams } => self.streams = (*at, streams.clone()),
            Event::Note { text } => {
                self.noted += 1;
                keep(&mut self.notes, clean(text));
            }
            Event::Point { point: PointState { number, count, values, .. } } => {
                self.point = clean(&format!("{number} of {count}: {values}"));
            }
            Event::Build { build } => {
                let [done, all] = [build.rows, build.all_rows()].map(grouped);
                self.activity = format!("generating data: {done} of {all} rows");
            }
            Event::Check { check } => {
                let (done, all) = (check.done, check.count);
                self.activity = format!("checking: {done} of {all} queries completed");
            }
            Event::Ending { step } => self.activity = clean(step),
            Event::BuildOver | Event::CheckOver => self.activity.clear(),
            Event::Executions { .. }
            | Event::Loader { .. }
            | Event::Activity { .. }
            | Event::End { .. }
            | Event::Unknown => {}
        }
    }

    /// Resets the state for a new measurement. Keeps the messages and the sweep point.
    fn begin(&mut self, record: &Record) {
        let before = std::mem::take(self);
        *self = Self {
            record: Some(Box::new(record.clone())),
            point: before.point,
            notes: before.notes,
            noted: before.noted,
            ..Self::default()
        };
    }

    /// Returns the end of the most recent interval, relative to the start of the run.
    pub fn reported_s(&self) -> f64 {
        self.interval.as_ref().map_or(0.0, |last| last.at_s)
    }

    /// Returns the number of intervals so far.
    pub fn count(&self) -> usize {
        self.intervals.count()
    }

    /// Returns the names that a viewer can select: each transaction type, `all`, and each query of
    /// the streams.
    pub fn names(&self) -> Vec<&str> {
        if let Some(standing) = &self.standing {
            let transactions = standing.transactions.iter().map(|one| one.name.as_str());
            let queries = standing.queries.iter().map(|one| one.name.as_str());
            return transactions.chain(queries.filter(|name| *name != ALL)).collect();
        }
        let reported = self.interval.iter().flat_map(|last| &last.transactions);
        let names: Vec<&str> = reported.map(|one| one.name.as_str()).collect();
        if names.is_empty() { names } else { names.into_iter().chain([ALL]).collect() }
    }

    /// Returns the measurement so far, for drawing the charts of a report. Returns `None` before
    /// the measurement has started.
    pub fn measurement(&self) -> Option<Measurement> {
        let mut record = self.record.as_deref()?.clone();
        let intervals = self.intervals.all().to_vec();
        let steps = steps::begun(record.plan.steps.as_ref(), &intervals);
        record.result = Some(ResultRecord { steps, ..self.result() });
        Some(Measurement {
            record,
            intervals,
            histograms: Vec::new(),
            server: self.servers.all().to_vec(),
            hosts: Vec::new(),
            gaps: Vec::new(),
        })
    }

    /// Returns the part of the result that is known during the run.
    fn result(&self) -> ResultRecord {
        let standing = self.standing.as_ref();
        let headline = standing.and_then(|standing| standing.headline.as_ref());
        let all = standing.and_then(|standing| standing.transactions.last());
        let elapsed = standing.map_or(0.0, |standing| standing.elapsed_s);
        ResultRecord {
            headline: headline.map(|headline| HeadlineRecord {
                name: headline.name.clone(),
                per_minute: headline.per_minute,
                ..HeadlineRecord::default()
            }),
            throughput_per_s: match (all, elapsed > 0.0) {
                (Some(all), true) => all.count as f64 / elapsed,
                _ => 0.0,
            },
            server_load: self.server.as_ref().map(|last| last.load.clone()),
            ..ResultRecord::default()
        }
    }
}

fn keep<T>(last: &mut VecDeque<T>, next: T) {
    if last.len() == MESSAGES_MAX {
        last.pop_front();
    }
    last.push_back(next);
}

#[cfg(test)]
mod tests {
    use tacho_config::Stop;
    use tacho_store::event::{BuildState, CheckState};
    use tacho_store::record::{HostRecord, PlanRecord, RunState, ServerRecord};

    use super::*;

    fn begins(id: &str) -> Event {
        let mut plan = PlanRecord::default();
        plan.load.stop = Stop::After(Duration::from_secs(10));
        let record = Record {
            format: String::new(),
            version: 0,
            id: id.into(),
            state: RunState::Incomplete,
            started_at: String::new(),
            tags: Vec::new(),
            note: None,
            tool_version: String::new(),
            plan,
            host: HostRecord::default(),
            server: ServerRecord::default(),
            data: None,
            result: None,
            repaired: false,
        };
        Event::Begins { run: id.into(), record: Box::new(record) }
    }

    #[test]
    fn a_point_of_a_sweep_forgets_the_one_before_but_not_its_messages() {
        let mut history = RunHistory::default();
        assert!(history.measurement().is_none(), "nothing has begun");
        history
            .apply(&Event::Point { point: PointState { number: 1, count: 2, ..<_>::default() } });
        history.apply(&Event::Note { text: "first\n".into() });
        history.apply(&begins("a"));
        history.apply(&Event::Phase { phase: "measure".into(), length: None });
        for second in 1..=3 {
            let interval = IntervalRecord {
                at_s: f64::from(second),
                length_s: 1.0,
                phase: "measure".into(),
                ..IntervalRecord::default()
            };
            history.apply(&Event::Interval { interval: Box::new(interval) });
        }
        let run = history.measurement().expect("a measurement");
        assert_eq!((run.record.id.as_str(), run.intervals.len()), ("a", 3));
        assert_eq!((history.count(), history.reported_s()), (3, 3.0));
        history.apply(&begins("b"));
        let run = history.measurement().expect("a measurement");
        assert_eq!((run.record.id.as_str(), run.intervals.len()), ("b", 0));
        assert_eq!((history.count(), history.phase.as_str()), (0, ""));
        assert_eq!((history.noted, history.notes.back().map(String::as_str)), (1, Some("first")));
        assert_eq!(history.point, "1 of 2:");
    }

    #[test]
    fn work_around_the_load_is_the_activity_until_it_is_over() {
        let mut history = RunHistory::default();
        let build = BuildState::of(Vec::new(), Duration::ZERO);
        history.apply(&Event::Build { build });
        assert_eq!(history.activity, "generating data: 0 of 0 rows");
        history.apply(&Event::BuildOver);
        assert_eq!(history.activity, "");
        history.apply(&Event::Check { check: CheckState::of(1, 3, Duration::ZERO) });
        assert_eq!(history.activity, "checking: 1 of 3 queries completed");
        history.apply(&Event::CheckOver);
        assert_eq!(history.activity, "");
    }
}
