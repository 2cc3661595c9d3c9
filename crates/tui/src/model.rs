//! The state of the view. It consists of the events of the run so far, and of the time since the
//! last event, so that times on the screen advance between events.
//!
//! Start reading at [`Model::apply`].

use std::time::Duration;

use tacho_analysis::clean;
use tacho_config::Stop;
use tacho_report::{ChartPoint, RunHistory};
use tacho_store::record::Record;
use tacho_store::{Event, IntervalRecord};

/// The subject of the measurement, which is shown in the title.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Subject {
    /// Workload name.
    pub(crate) workload: String,
    /// Target name as specified by the user.
    pub(crate) target: String,
    /// Description of the sessions and arrivals.
    pub(crate) load: String,
    /// The run's id.
    pub(crate) run: String,
    /// Number of steps of a varying load; 0 if the load is constant.
    pub(crate) steps: usize,
    /// Total planned length of all phases, if known.
    pub(crate) planned_s: Option<f64>,
}

impl Subject {
    /// Returns the subject of a run that is starting.
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
            steps: plan.steps.as_ref().map_or(0, |steps| steps.steps.len()),
            planned_s: match load.stop {
                Stop::After(length) => Some((load.ramp_up + length + load.ramp_down).as_secs_f64()),
                Stop::Count(_) | Stop::Done => None,
            },
        }
    }
}

/// The complete state of the view.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub(crate) history: RunHistory,
    pub(crate) subject: Subject,
    pub(crate) stopping: bool,
    /// Number of events dropped because the channel was full.
    pub(crate) lost: u64,
    /// Time since the last interval, according to the wall clock.
    pub(crate) since: Duration,
}

impl Model {
    /// Applies an event.
    pub fn apply(&mut self, event: &Event) {
        if let Event::Begins { record, .. } = event {
            self.subject = Subject::of(record);
        }
        if let Event::Begins { .. } | Event::Phase { .. } | Event::Interval { .. } = event {
            self.since = Duration::ZERO;
        }
        self.history.apply(event);
    }

    /// Returns at most `width` chart points, and the number of screen columns per point.
    pub(crate) fn columns(&self, width: usize) -> (Vec<ChartPoint>, usize) {
        self.history.timeline.columns(width, self.subject.planned_s)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        let history = &self.history;
        let reported = (history.reported_s() - history.phase_from_s).max(0.0);
        // Add at most the length of one interval, because in a run with virtual time, the real time
        // has no relation to the run's progress.
        let length = |last: &IntervalRecord| Duration::from_secs_f64(last.length_s);
        let length = history.interval.as_ref().map_or(Duration::MAX, length);
        let elapsed = Duration::from_secs_f64(reported) + self.since.min(length);
        history.phase_length.map_or(elapsed, |length| elapsed.min(length))
    }
}
