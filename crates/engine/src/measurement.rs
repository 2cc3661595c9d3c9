//! The results of a run, and the interface for observing a run in progress.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Error, Instant};
use tacho_driver::{Catalog, Counters};
use tacho_metrics::{COUNTERS_MAX, Phase, Recorder, RunEnd};

use crate::Gathered;

/// One reporting interval.
#[derive(Debug)]
pub struct Interval<'a> {
    /// The start of the load according to the run's clock.
    pub origin: Instant,
    /// Start of the interval, as the time elapsed since the start of the load.
    pub from: Duration,
    /// End of the interval, as the time elapsed since the start of the load.
    pub to: Duration,
    /// The phase to which the interval belongs. No interval crosses the boundary of a phase.
    pub phase: Phase,
    /// Number of sessions that were active in the interval and had not ended when it was reported.
    pub sessions: u32,
    /// The zero-based step of a varying load. No interval crosses the boundary of a step.
    pub step: Option<u32>,
    /// Open arrivals that were due at the end of the interval, but neither started nor skipped. `None` in closed runs.
    pub backlog: Option<u64>,
    /// The records of the interval.
    pub recorder: &'a Recorder,
    /// All records since the start of the load, including this interval.
    pub total: &'a Recorder,
}

/// The records that were collected from this host's sessions. With several hosts, an observer adds up the records of
/// all hosts.
#[derive(Debug)]
pub struct Collected<'a> {
    /// The start of the load according to the run's clock.
    pub origin: Instant,
    /// The period covered by the records: its start and end, as times elapsed since the start of the load.
    pub span: [Duration; 2],
    /// The phase.
    pub phase: Phase,
    /// Three numbers of sessions: those that have not ended, those that have not logged in, and those that have
    /// finished all their work.
    pub sessions: [u32; 3],
    /// Open arrivals that were due, but neither started nor skipped.
    pub backlog: Option<u64>,
    /// The records.
    pub recorder: &'a Recorder,
}

/// Receives reports while a run is in progress. Only the controller's thread calls these methods, so sessions never
/// wait for them.
pub trait Observer {
    /// Called several times a second while sessions connect, outside any event loop.
    fn connecting(&mut self) {}

    /// Called when the given number of sessions is connected.
    fn connected(&mut self, _sessions: u32) {}

    /// Called at the start of a phase.
    fn phase(&mut self, _phase: Phase, _at: Duration) {}

    /// Returns the share of transactions, from 0 to 1, to log in [`Recorder::log`] for [`Observer::collected`]. Called
    /// once before the load.
    fn logged_share(&mut self) -> Option<f64> {
        None
    }

    /// Receives a message that the user should see immediately.
    fn note(&mut self, _text: &str) {}

    /// Called whenever records have been collected, which happens for each interval and after the last one.
    fn collected(&mut self, _collected: &Collected<'_>) {}

    /// Called at the end of an interval.
    fn interval(&mut self, _interval: &Interval<'_>) {}

    /// Called at the end of the measured phase.
    fn measured(&mut self) {}
}

/// Readings of a counter before and after the load, and at both ends of the measured phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readings<T> {
    /// Value before the first transaction.
    pub before: T,
    /// The value and time of the readings at the start and end of the measured phase, if both were taken.
    pub measured: Option<((T, Instant), (T, Instant))>,
    /// Value after the last transaction.
    pub after: T,
}

/// Open arrivals that were due and waiting for a free session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Backlog at the start of the measured phase.
    pub start: u64,
    /// Backlog at the end of the measured phase.
    pub end: u64,
    /// Maximum backlog at the end of an interval in the measured phase.
    pub max: u64,
}

/// The results of one step of a varying load, without its records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepSeen {
    /// Start of the step, as the time elapsed since the start of the load.
    pub from: Duration,
    /// Actual length of the step.
    pub length: Duration,
    /// Successful transactions per second, for each full interval of the step.
    pub throughput: Vec<f64>,
    /// Arrivals that were due during the step but never taken by a session.
    pub never_taken: u64,
}

/// The raw result of a run. Sums over all sessions and hosts are in [`Gathered`].
#[derive(Debug)]
pub struct Measurement {
    /// All records of all sessions.
    pub total: Recorder,
    /// Successful transactions per second, in each full interval of the measured phase.
    pub throughput: Vec<f64>,
    /// Successful transactions per second in each full interval in which the number of waiting arrivals was greater
    /// than the number of sessions. During these intervals, the database was working at its capacity.
    pub saturated: Vec<f64>,
    /// The steps of a varying load that were started.
    pub steps: Vec<StepSeen>,
    /// The arrivals that had to wait, or `None` in closed runs.
    pub backlog: Option<Backlog>,
    /// The start of the load according to the run's clock.
    pub origin: Instant,
    /// The reason why the run ended.
    pub ended_by: RunEnd,
    /// The workload's counter in the database.
    pub counter: Option<Readings<u64>>,
    /// The database's counter sums before the first transaction and after the last one. They prove how much work was
    /// committed.
    pub sums: Option<[[i64; COUNTERS_MAX]; 2]>,
    /// The server's counters.
    pub server: Option<Readings<Counters>>,
    /// The first error that occurred while the counters were being read.
    pub probe_error: Option<Error>,
    /// True if the counters could not be read after the load.
    pub unanswered: bool,
    /// True if time was virtual.
    pub virtual_time: bool,
    /// The statements of the run. The recorder numbers them in this order, followed by [`crate::CONTROLS`].
    pub catalog: Arc<Catalog>,
    /// The combined contributions of sessions and hosts.
    pub gathered: Gathered,
}

impl Measurement {
    /// Creates an empty measurement for `transactions` transaction types.
    pub fn new(transactions: usize) -> Self {
        Self {
            total: Recorder::new(transactions),
            throughput: Vec::new(),
            saturated: Vec::new(),
            steps: Vec::new(),
            backlog: None,
            origin: Instant(0),
            ended_by: RunEnd::Time,
            counter: None,
            sums: None,
            server: None,
            probe_error: None,
            unanswered: false,
            virtual_time: false,
            catalog: Arc::default(),
            gathered: Gathered::default(),
        }
    }
}

impl Deref for Measurement {
    type Target = Gathered;

    fn deref(&self) -> &Gathered {
        &self.gathered
    }
}

impl DerefMut for Measurement {
    fn deref_mut(&mut self) -> &mut Gathered {
        &mut self.gathered
    }
}
