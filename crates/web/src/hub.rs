//! What is running, for all who watch: the events of one activity in their order, kept so that a watcher who
//! was away catches up.
//!
//! Whoever tells it something never waits for a watcher. Of the events that each new one
//! replaces, the last is kept, and of intervals the last hour; for the charts, the intervals of the whole measurement
//! are kept until the next one begins, merged if there are many. Start reading at [`Hub::tell`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tacho_store::record::Record;
use tacho_store::{
    EventKind, INTERVALS_MAX, IntervalRecord, Listener, Merged, ServerIntervalRecord,
};
use tokio::sync::watch;

/// Asks something to end, as Ctrl-C does.
pub type Stop = Arc<dyn Fn() + Send + Sync>;

/// Events of which a new one replaces those before.
const REPLACED: [&str; 5] = ["standing", "streams", "build", "check", "phase"];
/// Events of which there is one for each interval.
const RECURRING: [&str; 2] = ["interval", "server"];
/// So many of these are kept: an hour at one a second.
const RECURRING_MAX: usize = INTERVALS_MAX;
/// So many of all others are kept, such as notes.
const OTHERS_MAX: usize = 1000;

/// One event.
#[derive(Debug)]
pub(crate) struct Event {
    /// Its number within the activity, from 1.
    pub(crate) number: u64,
    /// Its name, such as `interval`.
    pub(crate) name: String,
    /// It as JSON.
    pub(crate) data: String,
}

/// How an activity has ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct End {
    pub(crate) exit_code: i32,
    /// The answer on standard output: JSON, or text.
    pub(crate) answer: Value,
    /// What it complained of.
    pub(crate) complaints: Vec<String>,
}

/// What is being done, or was done last.
#[derive(Default)]
struct Activity {
    /// From 1; 0 if there was none.
    number: u64,
    command: String,
    words: String,
    run: Option<String>,
    end: Option<End>,
    stop: Option<Stop>,
    stops: u32,
    events: VecDeque<Arc<Event>>,
    last: u64,
    record: Option<Box<Record>>,
    intervals: Merged<IntervalRecord>,
    /// The last of them, not merged with those before.
    latest: Option<IntervalRecord>,
    server: Merged<ServerIntervalRecord>,
    standing: Value,
}

/// A course so far: what charts are drawn from.
#[derive(Clone, Default)]
pub(crate) struct Course {
    pub(crate) record: Option<Box<Record>>,
    pub(crate) intervals: Vec<IntervalRecord>,
    pub(crate) latest: Option<IntervalRecord>,
    pub(crate) server: Vec<ServerIntervalRecord>,
    pub(crate) standing: Value,
}

/// What is running. Copies share it.
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
    /// An activity begins. `false` if another one continues.
    pub fn begin(&self, command: &str, words: &str, stop: Stop) -> bool {
        let mut own = self.lock();
        if own.goes_on() {
            return false;
        }
        let number = own.number + 1;
        let (command, words, stop) = (command.to_owned(), words.to_owned(), Some(stop));
        *own = Activity { number, command, words, stop, ..Activity::default() };
        let text = json!({ "event": "activity", "number": number, "command": own.command });
        own.tell("activity", &text);
        drop(own);
        self.wake();
        true
    }

    /// Something happened; `event` has its name under the key `event`, as in `--progress json`.
    pub fn tell(&self, event: &Value) {
        let Some(name) = event["event"].as_str() else { return };
        let mut own = self.lock();
        own.learn(name, event);
        own.tell(name, event);
        drop(own);
        self.wake();
    }

    /// The activity has ended.
    pub(crate) fn end(&self, end: End) {
        let mut own = self.lock();
        let run = own.run.clone();
        let text = json!({ "event": "end", "exit_code": end.exit_code, "run": run });
        (own.end, own.stop) = (Some(end), None);
        own.tell("end", &text);
        drop(own);
        self.wake();
    }

    /// The measurement of this process has ended with this exit code.
    pub fn ended(&self, exit_code: u8) {
        self.end(End { exit_code: i32::from(exit_code), ..End::default() });
    }

    /// Asks what is running to end, as Ctrl-C does. `false` if nothing continues.
    pub fn stop(&self) -> bool {
        let mut own = self.lock();
        own.stops += 1;
        let stop = own.stop.clone();
        drop(own);
        stop.map(|stop| stop()).is_some()
    }

    /// Whether something continues.
    pub fn is_busy(&self) -> bool {
        self.lock().goes_on()
    }

    /// What is running, as the REST interface tells it.
    pub(crate) fn state(&self) -> Value {
        let own = self.lock();
        let state = match (own.number, &own.end) {
            (0, _) => "none",
            (_, None) => "running",
            (_, Some(_)) => "ended",
        };
        let end = own.end.as_ref();
        json!({
            "number": own.number,
            "state": state,
            "command": own.command,
            "words": own.words,
            "run": own.run,
            "stops": own.stops,
            "exit_code": end.map(|end| end.exit_code),
            "answer": end.map(|end| end.answer.clone()),
            "complaints": end.map(|end| end.complaints.clone()),
        })
    }

    /// The figures of the phase so far, and the interval that ended last.
    pub(crate) fn standing(&self) -> (Value, Option<IntervalRecord>, bool) {
        let own = self.lock();
        (own.standing.clone(), own.latest.clone(), own.goes_on())
    }

    /// All that charts are drawn from, and the number of its last interval.
    pub(crate) fn course(&self) -> (u64, usize, Course) {
        let own = self.lock();
        let course = Course {
            record: own.record.clone(),
            intervals: own.intervals.all().to_vec(),
            latest: own.latest.clone(),
            server: own.server.all().to_vec(),
            standing: own.standing.clone(),
        };
        (own.number, own.intervals.count(), course)
    }

    /// Numbers of activity and last interval, by which a copy of the charts is known to be old.
    pub(crate) fn course_mark(&self) -> (u64, usize) {
        let own = self.lock();
        (own.number, own.intervals.count())
    }

    /// The events after one of an activity, and the number of the activity. Events of another activity than
    /// that which is now are those of the present one from its begin.
    pub(crate) fn after(&self, activity: u64, number: u64) -> (u64, Vec<Arc<Event>>) {
        let own = self.lock();
        let number = if own.number == activity { number } else { 0 };
        let later = own.events.iter().filter(|event| event.number > number);
        (own.number, later.cloned().collect())
    }

    /// Becomes something else whenever there is an event.
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
    fn on(&mut self, event: &tacho_store::Event) {
        if self.wants(event.kind())
            && let Ok(event) = serde_json::to_value(event)
        {
            self.tell(&event);
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

    fn tell(&mut self, name: &str, event: &Value) {
        if REPLACED.contains(&name) {
            self.events.retain(|own| own.name != name);
        }
        let recurring = RECURRING.contains(&name);
        let alike = |own: &&Arc<Event>| {
            if recurring { own.name == name } else { !RECURRING.contains(&own.name.as_str()) }
        };
        let most = if recurring { RECURRING_MAX } else { OTHERS_MAX };
        if self.events.iter().filter(alike).count() >= most
            && let Some(place) = self.events.iter().position(|own| alike(&own))
        {
            self.events.remove(place);
        }
        self.last += 1;
        let event = Event { number: self.last, name: name.to_owned(), data: event.to_string() };
        self.events.push_back(Arc::new(event));
    }

    /// Keeps what charts and states are made of.
    fn learn(&mut self, name: &str, event: &Value) {
        match name {
            "begins" => {
                self.record = serde_json::from_value(event["record"].clone()).ok().map(Box::new);
                self.run = self.record.as_ref().map(|record| record.id.clone());
                (self.intervals, self.latest, self.server) = Default::default();
                self.standing = Value::Null;
                // A point of a sweep: the events of the one before are in its record.
                self.events.retain(|own| !RECURRING.contains(&own.name.as_str()));
            }
            "interval" => {
                if let Ok(next) = serde_json::from_value::<IntervalRecord>(event.clone()) {
                    self.latest = Some(next.clone());
                    self.intervals.push(next);
                }
            }
            "server" => {
                if let Ok(next) = serde_json::from_value::<ServerIntervalRecord>(event.clone()) {
                    self.server.push(next);
                }
            }
            "standing" => self.standing = event.clone(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(events: &[Arc<Event>]) -> Vec<u64> {
        events.iter().map(|event| event.number).collect()
    }

    #[test]
    fn a_watcher_who_was_away_catches_up() {
        let hub = Hub::default();
        assert!(hub.begin("run", "tacho run", Arc::new(|| {})));
        assert!(!hub.begin("run", "tacho run", Arc::new(|| {})), "one at a time");
        for text in ["one", "two"] {
            hub.tell(&json!({ "event": "note", "text": text }));
        }
        assert_eq!(numbers(&hub.after(1, 0).1), [1, 2, 3]);
        assert_eq!(numbers(&hub.after(1, 2).1), [3]);
        hub.tell(&json!({ "event": "standing", "elapsed_s": 1 }));
        hub.tell(&json!({ "event": "standing", "elapsed_s": 2 }));
        assert_eq!(numbers(&hub.after(1, 3).1), [5], "the last one stands for those before");
        hub.ended(4);
        assert_eq!(hub.state()["exit_code"], 4);
        assert!(!hub.is_busy() && !hub.stop());
        assert!(hub.begin("check", "tacho check", Arc::new(|| {})));
        assert_eq!(numbers(&hub.after(1, 6).1), [1], "another activity is told from its begin");
    }

    #[test]
    fn memory_is_bounded_and_the_newest_is_kept() {
        let hub = Hub::default();
        hub.begin("run", "tacho run", Arc::new(|| {}));
        for number in 0..RECURRING_MAX + 50 {
            hub.tell(&json!({ "event": "interval", "at_s": number }));
        }
        let interval = IntervalRecord::default();
        for number in 0..3 * INTERVALS_MAX {
            let mut event = serde_json::to_value(&interval).expect("JSON");
            (event["event"], event["at_s"]) = ("interval".into(), number.into());
            hub.tell(&event);
        }
        let (_, count, course) = hub.course();
        assert_eq!(count, 3 * INTERVALS_MAX);
        assert!(course.intervals.len() <= INTERVALS_MAX, "{}", course.intervals.len());
        assert_eq!(hub.standing().1.and_then(|latest| latest.merged), None);
        for number in 0..OTHERS_MAX + 50 {
            hub.tell(&json!({ "event": "note", "text": number.to_string() }));
        }
        let (_, events) = hub.after(1, 0);
        assert_eq!(events.len(), RECURRING_MAX + OTHERS_MAX);
        assert!(events.last().is_some_and(|last| last.data.contains("1049")));
    }
}
