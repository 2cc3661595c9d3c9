//! The state of the running command, which is shared with all watching clients. Recent events are
//! kept, so that a client can reconnect without missing any.
//!
//! The hub never waits for a client. [`Retention`] limits which events are stored.
//!
//! Start reading at [`Hub`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacho_analysis::Measurement;
use tacho_report::RunHistory;
use tacho_store::event::Standing;
use tacho_store::record::Record;
use tacho_store::{Event, EventKind, INTERVALS_MAX, IntervalRecord, Listener, Retention};
use tokio::sync::watch;

/// A function that interrupts a command as Ctrl-C would.
pub type Stop = Arc<dyn Fn() + Send + Sync>;

/// Maximum number of stored events of a series, enough for one hour at one event per second.
const SERIES_MAX: usize = INTERVALS_MAX;
/// Maximum number of stored events that do not belong to a series, such as notes.
const OTHERS_MAX: usize = 1000;

/// An event that the hub keeps.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Number of the event within the activity, starting from 1.
    pub(crate) number: u64,
    /// Name of the event, such as `interval`.
    pub(crate) name: String,
    /// The event in JSON.
    pub(crate) data: String,
    kind: EventKind,
    retention: Retention,
}

/// The part of an event that is the same in all versions.
#[derive(Deserialize)]
struct Named {
    event: String,
}

/// The end of an activity.
#[derive(Clone, Debug, Default)]
pub(crate) struct End {
    pub(crate) exit_code: i32,
    /// The command's standard output: JSON or text.
    pub(crate) answer: Value,
    /// Errors and warnings printed by the command.
    pub(crate) complaints: Vec<String>,
}

/// The command that is running. If none is running, the last one that ran.
#[derive(Default)]
struct Activity {
    /// Number of the activity, starting from 1, or 0 if there has been none.
    number: u64,
    command: String,
    words: String,
    end: Option<End>,
    stop: Option<Stop>,
    stops: u32,
    events: VecDeque<Arc<Kept>>,
    last: u64,
    history: RunHistory,
}

/// The command that is running, or else the last one, as the REST interface returns it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ActivityState {
    /// Number of the command, starting from 1; 0 if there has been none.
    number: u64,
    /// State of the command: `none`, `running` or `ended`.
    state: &'static str,
    command: String,
    /// The command line, without passwords.
    words: String,
    /// ID of the run that the command is measuring or measured last.
    run: Option<String>,
    /// Number of requests to stop the command.
    stops: u32,
    pub(crate) exit_code: Option<i32>,
    /// The command's output: JSON or text.
    answer: Option<Value>,
    /// Lines of errors and warnings from the command.
    complaints: Option<Vec<String>>,
}

/// A snapshot of the running measurement.
pub(crate) struct Snapshot {
    /// The record as it was at the start of the measurement.
    pub(crate) record: Option<Box<Record>>,
    /// The interval that ended last.
    pub(crate) interval: Option<IntervalRecord>,
    /// Results of the current phase so far.
    pub(crate) standing: Option<Standing>,
    /// True until the measurement ends.
    pub(crate) is_busy: bool,
}

/// The state of the running command. All clones share it.
#[derive(Clone)]
pub struct Hub {
    activity: Arc<Mutex<Activity>>,
    changed: Arc<watch::Sender<u64>>,
}

impl Default for Hub {
    fn default() -> Self {
        Self { activity: Arc::default(), changed: Arc::new(watch::channel(0).0) }
    }
}

impl Hub {
    /// Starts an activity. Returns false if another activity is still running.
    pub fn begin(&self, command: &str, words: &str, stop: Stop) -> bool {
        let mut current = self.lock();
        if current.goes_on() {
            return false;
        }
        let number = current.number + 1;
        let (command, words, stop) = (command.to_owned(), words.to_owned(), Some(stop));
        *current = Activity { number, command, words, stop, ..Activity::default() };
        let event = Event::Activity { number, command: current.command.clone() };
        current.tell(&event);
        drop(current);
        self.wake();
        true
    }

    /// Stores an event and passes it on to all clients. `line` is a line of `--progress json`,
    /// which is not changed. Returns false if it is not an event.
    pub(crate) fn line(&self, line: &str) -> bool {
        let Ok(Named { event: name }) = serde_json::from_str(line) else { return false };
        let event = serde_json::from_str(line).unwrap_or(Event::Unknown);
        self.lock().keep(&event, name, line.to_owned());
        self.wake();
        true
    }

    /// Ends the activity.
    pub(crate) fn end(&self, end: End) {
        let mut current = self.lock();
        let event = Event::End { exit_code: end.exit_code, run: current.run() };
        (current.end, current.stop) = (Some(end), None);
        current.tell(&event);
        drop(current);
        self.wake();
    }

    /// Ends the activity with this exit code. Called when the measurement in this process has
    /// ended.
    pub fn ended(&self, exit_code: u8) {
        self.end(End { exit_code: i32::from(exit_code), ..End::default() });
    }

    /// Interrupts the running activity like Ctrl-C. Returns false if none is running.
    pub fn stop(&self) -> bool {
        let mut current = self.lock();
        current.stops += 1;
        let stop = current.stop.clone();
        drop(current);
        stop.map(|stop| stop()).is_some()
    }

    /// Returns true if an activity is running.
    pub fn is_busy(&self) -> bool {
        self.lock().goes_on()
    }

    /// Returns the activity's state for the REST interface.
    pub(crate) fn state(&self) -> ActivityState {
        let current = self.lock();
        let state = match (current.number, &current.end) {
            (0, _) => "none",
            (_, None) => "running",
            (_, Some(_)) => "ended",
        };
        let end = current.end.as_ref();
        ActivityState {
            number: current.number,
            state,
            command: current.command.clone(),
            words: current.words.clone(),
            run: current.run(),
            stops: current.stops,
            exit_code: end.map(|end| end.exit_code),
            answer: end.map(|end| end.answer.clone()),
            complaints: end.map(|end| end.complaints.clone()),
        }
    }

    /// Returns a snapshot of the running measurement, for computing metrics.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let current = self.lock();
        let RunHistory { record, interval, standing, .. } = &current.history;
        let (record, interval, standing) = (record.clone(), interval.clone(), standing.clone());
        Snapshot { record, interval, standing, is_busy: current.goes_on() }
    }

    /// Returns the measurement so far. The two numbers identify the activity and its last interval.
    pub(crate) fn measurement(&self) -> ((u64, usize), Option<Measurement>) {
        let current = self.lock();
        ((current.number, current.history.count()), current.history.measurement())
    }

    /// Returns two numbers that identify the activity and its last interval. Charts must be
    /// generated again once they change.
    pub(crate) fn course_mark(&self) -> (u64, usize) {
        let current = self.lock();
        (current.number, current.history.count())
    }

    /// Returns the number of the current activity, and its events after the event `number`. If
    /// `activity` is the number of an older activity, returns all events of the current one.
    pub(crate) fn after(&self, activity: u64, number: u64) -> (u64, Vec<Arc<Kept>>) {
        let current = self.lock();
        let number = if current.number == activity { number } else { 0 };
        let later = current.events.iter().filter(|event| event.number > number);
        (current.number, later.cloned().collect())
    }

    /// Returns a receiver that is notified of every event.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn wake(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn lock(&self) -> MutexGuard<'_, Activity> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Hub {
    fn on(&mut self, event: &Event) {
        if self.wants(event.kind()) {
            self.lock().tell(event);
            self.wake();
        }
    }

    fn wants(&self, kind: EventKind) -> bool {
        kind.is_public()
    }
}

impl Activity {
    fn goes_on(&self) -> bool {
        self.number > 0 && self.end.is_none()
    }

    /// Returns the ID of the run that was measured last.
    fn run(&self) -> Option<String> {
        self.history.record.as_ref().map(|record| record.id.clone())
    }

    /// Stores an event from this process.
    fn tell(&mut self, event: &Event) {
        let data = serde_json::to_string(event).unwrap_or_default();
        if let Ok(Named { event: name }) = serde_json::from_str(&data) {
            self.keep(event, name, data);
        }
    }

    fn keep(&mut self, event: &Event, name: String, data: String) {
        self.history.apply(event);
        let (kind, retention) = (event.kind(), event.retention());
        if let Event::Begins { .. } = event {
            // The next point of the sweep starts. Discard the events of the previous point, because
            // they are in the record.
            self.events.retain(|kept| kept.retention != Retention::Series);
        }
        if retention == Retention::Latest {
            self.events.retain(|kept| kept.kind != kind);
        }
        let is_series = retention == Retention::Series;
        let alike = |kept: &Arc<Kept>| match kept.retention {
            Retention::Series => kept.kind == kind,
            _ => !is_series,
        };
        let most = if is_series { SERIES_MAX } else { OTHERS_MAX };
        if self.events.iter().filter(|kept| alike(kept)).count() >= most
            && let Some(place) = self.events.iter().position(alike)
        {
            self.events.remove(place);
        }
        self.last += 1;
        let number = self.last;
        self.events.push_back(Arc::new(Kept { number, name, data, kind, retention }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(events: &[Arc<Kept>]) -> Vec<u64> {
        events.iter().map(|event| event.number).collect()
    }

    #[test]
    fn late_watchers_catch_up() {
        let hub = Hub::default();
        assert!(hub.begin("run", "tacho run", Arc::new(|| {})));
        assert!(!hub.begin("run", "tacho run", Arc::new(|| {})), "one at a time");
        for text in ["one", "two"] {
            (&mut hub.clone() as &mut dyn Listener).note(text);
        }
        assert_eq!(numbers(&hub.after(1, 0).1), [1, 2, 3]);
        assert_eq!(numbers(&hub.after(1, 2).1), [3]);
        let standing = |elapsed_s| Standing { elapsed_s, ..Standing::default() };
        (&mut hub.clone() as &mut dyn Listener).standing(standing(1.0));
        (&mut hub.clone() as &mut dyn Listener).standing(standing(2.0));
        assert_eq!(numbers(&hub.after(1, 3).1), [5], "only the latest event is kept");
        hub.ended(4);
        assert_eq!(hub.state().exit_code, Some(4));
        assert!(!hub.is_busy() && !hub.stop());
        assert!(hub.begin("check", "tacho check", Arc::new(|| {})));
        assert_eq!(
            numbers(&hub.after(1, 6).1),
            [1],
            "events of a new activity are returned from its start"
        );
    }

    #[test]
    fn memory_is_bounded_and_the_newest_is_kept() {
        let hub = Hub::default();
        hub.begin("run", "tacho run", Arc::new(|| {}));
        let mut copy = hub.clone();
        let listener: &mut dyn Listener = &mut copy;
        for number in 0..3 * INTERVALS_MAX {
            listener.interval(&IntervalRecord { at_s: number as f64, ..Default::default() });
        }
        assert_eq!(hub.course_mark().1, 3 * INTERVALS_MAX);
        assert_eq!(hub.snapshot().interval.and_then(|latest| latest.merged), None);
        for number in 0..OTHERS_MAX + 50 {
            listener.note(&number.to_string());
        }
        let (_, events) = hub.after(1, 0);
        assert_eq!(events.len(), SERIES_MAX + OTHERS_MAX);
        assert!(events.last().is_some_and(|last| last.data.contains("1049")));
    }

    #[test]
    fn events_of_a_newer_program_are_passed_on_as_they_are() {
        let hub = Hub::default();
        hub.begin("run", "tacho run", Arc::new(|| {}));
        let lines = [
            r#"{"event":"tide","height_m":3}"#,
            r#"{"event":"note","text":"n","since":"the next version"}"#,
            r#"{"event":"interval","at_s":"in a form of the next version"}"#,
        ];
        for line in lines {
            assert!(hub.line(line));
        }
        assert!(!hub.line("tide") && !hub.line(r#"{"height_m":3}"#));
        let (_, events) = hub.after(1, 1);
        let kept: Vec<(&str, &str)> =
            events.iter().map(|kept| (kept.name.as_str(), kept.data.as_str())).collect();
        assert_eq!(kept, [("tide", lines[0]), ("note", lines[1]), ("interval", lines[2])]);
    }
}
