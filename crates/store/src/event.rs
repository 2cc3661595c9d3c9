//! The events of a running command. They are shown to the user, and also written and sent as JSON.
//!
//! Each [`Event`] is a line in the output of `--progress json`, or an event that is sent to the web view.
//!
//! Start reading at [`Event`], then at [`Listener`].

mod listener;
mod standing;
mod states;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_config::seconds;

use crate::record::{ExecutionRecord, Record};
use crate::{IntervalRecord, ServerIntervalRecord};

pub use listener::Listener;
pub use standing::{BUCKETS_US, Buckets, HostLoad, Standing, StandingHeadline};
pub use states::{
    BuildState, CheckState, EndedQuery, HostState, LoaderState, MarkKind, PointState, StreamState,
    TableState,
};

/// An event of a running command, as it is written, sent and displayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Information for the user.
    Note {
        /// A one-sentence message.
        text: String,
    },
    /// A measurement starts.
    Begins {
        /// Identifier of the run.
        run: String,
        /// The run's id, plan and server; results are not available yet.
        record: Box<Record>,
    },
    /// A phase of the measurement has started.
    Phase {
        /// Phase: `ramp-up`, `measure` or `ramp-down`.
        phase: String,
        /// Planned length of the phase, if it has one.
        #[serde(default, rename = "length_s", with = "seconds::optional")]
        #[schemars(with = "Option<f64>")]
        length: Option<Duration>,
    },
    /// An interval of the measurement has ended.
    Interval {
        /// Results of the interval.
        #[serde(flatten)]
        interval: Box<IntervalRecord>,
    },
    /// Load on the observed machines in the most recently reported interval.
    Host {
        /// End of the interval, relative to the start of the run.
        at_s: f64,
        /// Tacho's machine, followed by the machines of the agents that the user specified.
        hosts: Vec<HostState>,
    },
    /// An occurrence that may explain a change in a chart.
    Mark {
        /// Time of the occurrence, relative to the start of the run.
        at_s: f64,
        /// The kind of occurrence.
        kind: MarkKind,
        /// A description of the occurrence.
        text: String,
    },
    /// Results of the current phase so far, sent after each interval of ramp-up and measurement.
    Standing {
        /// The results.
        #[serde(flatten)]
        standing: Box<Standing>,
    },
    /// Server activity in the latest reported interval; sent only if the server is monitored.
    Server {
        /// The server activity.
        #[serde(flatten)]
        server: Box<ServerIntervalRecord>,
    },
    /// Progress of the streams, sent before each interval of a run whose sessions end on their own.
    Streams {
        /// Time since the start of the load.
        #[serde(rename = "at_s", with = "seconds")]
        #[schemars(with = "f64")]
        at: Duration,
        /// State of every stream.
        streams: Vec<StreamState>,
    },
    /// Transactions that completed since the last interval, in order. Sent only if sessions end on their own.
    Executions {
        /// The transactions.
        executions: Vec<ExecutionRecord>,
    },
    /// A point of a sweep starts.
    Point {
        /// The point.
        #[serde(flatten)]
        point: PointState,
    },
    /// Progress of a build; sent several times a second.
    Build {
        /// The progress.
        #[serde(flatten)]
        build: BuildState,
    },
    /// A build loader has started or finished part of its work.
    Loader {
        /// Loader number, from 0.
        loader: usize,
        /// The loader's current work.
        state: LoaderState,
    },
    /// A build has ended, successfully or not.
    BuildOver,
    /// Progress of the checks; sent several times a second.
    Check {
        /// The progress.
        #[serde(flatten)]
        check: CheckState,
    },
    /// All checks have ended.
    CheckOver,
    /// A step between the end of the load and the summary has started.
    Ending {
        /// Description of the step, such as `reading the settings again`.
        step: String,
    },
    /// A web view server has started a command.
    Activity {
        /// Sequence number of the command, starting at 1.
        number: u64,
        /// Name of the command, such as `run`.
        command: String,
    },
    /// A command started by a web view server has ended.
    End {
        /// Exit code of the command.
        exit_code: i32,
        /// The last run that the command measured, if any.
        run: Option<String>,
    },
    /// An event that this version does not recognize.
    #[serde(other)]
    Unknown,
}

/// Defines [`EventKind`], with one name for each variant of [`Event`].
macro_rules! kinds {
    ($($kind:ident)*) => {
        /// The kinds of events, one for each variant of [`Event`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the variants mirror those of Event")]
        pub enum EventKind { $($kind),* }

        impl Event {
            /// Returns the kind of the event.
            pub fn kind(&self) -> EventKind {
                match self { $(Self::$kind { .. } => EventKind::$kind),* }
            }
        }
    };
}

kinds! {
    Note Begins Phase Interval Host Mark Standing Server Streams Executions Point Build Loader BuildOver
    Check CheckOver Ending Activity End Unknown
}

/// The period for which an event is kept, so that listeners can join later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// The event is kept until the next event of its kind arrives.
    Latest,
    /// The event and all others of its kind are kept until the next measurement starts.
    Series,
    /// The event is kept as long as there is space.
    Log,
}

impl Event {
    /// Returns the period for which the event is kept for listeners that join later.
    pub fn retention(&self) -> Retention {
        match self {
            Self::Standing { .. }
            | Self::Streams { .. }
            | Self::Build { .. }
            | Self::Check { .. }
            | Self::Phase { .. } => Retention::Latest,
            Self::Interval { .. } | Self::Server { .. } | Self::Host { .. } => Retention::Series,
            _ => Retention::Log,
        }
    }
}

impl EventKind {
    /// Returns true if events of this kind are expensive and thus produced only for listeners that
    /// request them.
    pub fn is_costly(self) -> bool {
        matches!(self, Self::Standing | Self::Executions)
    }

    /// Returns true if events of this kind may be dropped for a slow reader, because the next one
    /// contains newer values.
    pub fn is_droppable(self) -> bool {
        matches!(self, Self::Interval | Self::Server | Self::Host | Self::Standing)
    }

    /// Returns true if events of this kind are included in `--progress json`.
    pub fn is_public(self) -> bool {
        !matches!(
            self,
            Self::Executions
                | Self::Loader
                | Self::BuildOver
                | Self::CheckOver
                | Self::Activity
                | Self::End
                | Self::Unknown
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns several example events, each with the expected JSON.
    fn lines() -> [(Event, Value); 7] {
        let seconds = Duration::from_secs_f64;
        let ended = EndedQuery {
            transaction: "q14".into(),
            took: seconds(0.25),
            rows: Some(1),
            failed: None,
        };
        let failed = EndedQuery { rows: None, failed: Some("timeout".into()), ..ended.clone() };
        let stream = StreamState {
            session: 1,
            transaction: Some("q2".into()),
            since: Some(seconds(3.0)),
            done: 2,
            failed: 1,
            left: Some(20),
            remaining: Some(seconds(120.0)),
            ended: vec![ended, failed],
        };
        let tables = vec![TableState { name: "item".into(), rows: 50, expected: 150 }];
        let point =
            PointState { number: 2, count: 3, values: "sessions=8".into(), remaining: None };
        [
            (Event::Note { text: "n".into() }, json!({ "event": "note", "text": "n" })),
            (
                Event::Phase { phase: "ramp-up".into(), length: Some(seconds(1.5)) },
                json!({ "event": "phase", "phase": "ramp-up", "length_s": 1.5 }),
            ),
            (
                Event::Streams { at: seconds(5.0), streams: vec![stream] },
                json!({ "event": "streams", "at_s": 5.0, "streams": [{
                    "session": 1, "transaction": "q2", "since_s": 3.0, "done": 2, "failed": 1, "left": 20,
                    "remaining_s": 120.0, "ended": [
                        { "transaction": "q14", "took_s": 0.25, "rows": 1, "failed": null },
                        { "transaction": "q14", "took_s": 0.25, "rows": null, "failed": "timeout" },
                    ],
                }] }),
            ),
            (
                Event::Point { point },
                json!({
                    "event": "point", "number": 2, "count": 3, "values": "sessions=8", "remaining_s": null
                }),
            ),
            (
                Event::Build { build: BuildState::of(tables, seconds(10.0)) },
                json!({
                    "event": "build", "rows": 50, "rows_per_s": 5.0, "elapsed_s": 10.0, "remaining_s": 20.0,
                    "tables": [{ "name": "item", "rows": 50, "expected": 150 }],
                }),
            ),
            (
                Event::Check { check: CheckState::of(2, 8, seconds(1.0)) },
                json!({ "event": "check", "done": 2, "count": 8, "elapsed_s": 1.0, "remaining_s": 3.0 }),
            ),
            (Event::Ending { step: "s".into() }, json!({ "event": "ending", "step": "s" })),
        ]
    }

    #[test]
    fn lines_keep_their_shape_and_are_read_again() {
        for (event, line) in lines() {
            assert_eq!(serde_json::to_value(&event).expect("JSON"), line);
            assert_eq!(serde_json::from_value::<Event>(line).expect("an event"), event);
        }
        let interval = IntervalRecord { at_s: 2.0, phase: "measure".into(), ..Default::default() };
        let mut line = serde_json::to_value(&interval).expect("JSON");
        line["event"] = "interval".into();
        let event = Event::Interval { interval: Box::new(interval) };
        assert_eq!(serde_json::to_value(&event).expect("JSON"), line);
        assert_eq!(serde_json::from_value::<Event>(line).expect("an event"), event);
    }

    #[test]
    fn events_and_marks_of_a_newer_version_are_unknown() {
        let read = |line: Value| serde_json::from_value::<Event>(line).expect("an event");
        assert_eq!(read(json!({ "event": "tide", "height_m": 3 })), Event::Unknown);
        let mark = read(json!({ "event": "mark", "at_s": 1.0, "kind": "tide", "text": "high" }));
        assert_eq!(mark, Event::Mark { at_s: 1.0, kind: MarkKind::Other, text: "high".into() });
    }
}
