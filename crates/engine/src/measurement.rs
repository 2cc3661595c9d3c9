//! What a run has measured, and who is informed while it is running.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use tacho_core::{Error, Instant};
use tacho_driver::Counters;
use tacho_metrics::{COUNTERS_MAX, Phase, Recorder, RunEnd};

use crate::Gathered;

/// What happened between two looks.
#[derive(Debug)]
pub struct Interval<'a> {
    /// The start of the load, by the run's clock.
    pub origin: Instant,
    /// Its begin, since the start of the load.
    pub from: Duration,
    /// Its end.
    pub to: Duration,
    /// The phase; an interval never spans two.
    pub phase: Phase,
    /// Sessions that were active and had not ended.
    pub sessions: u32,
    /// The step of a load that changes, from 0; an interval never spans two.
    pub step: Option<u32>,
    /// Open arrivals that were due at its end and neither begun nor skipped; `None` in closed runs.
    pub backlog: Option<u64>,
    /// What was recorded in it.
    pub recorder: &'a Recorder,
    /// What was recorded since the start of the load, this interval included.
    pub total: &'a Recorder,
}

/// What was collected, for whoever adds it up elsewhere.
#[derive(Debug)]
pub struct Collected<'a> {
    /// The start of the load, by the run's clock.
    pub origin: Instant,
    /// Begin and end, since the start of the load.
    pub span: [Duration; 2],
    /// The phase.
    pub phase: Phase,
    /// Sessions that have not ended, those of them that have yet to log in, and those that have done all their
    /// work.
    pub sessions: [u32; 3],
    /// Open arrivals that were due and neither begun nor skipped.
    pub backlog: Option<u64>,
    /// The records.
    pub recorder: &'a Recorder,
}

/// Receives reports while a run is running. Called from the controller's thread alone: whatever it does, no
/// session waits for it.
pub trait Observer {
    /// The sessions of the run are still being connected; several times a second, from the thread that
    /// runs it and outside of any event loop.
    fn connecting(&mut self) {}

    /// So many sessions are connected.
    fn connected(&mut self, _sessions: u32) {}

    /// A phase begins.
    fn phase(&mut self, _phase: Phase, _at: Duration) {}

    /// Something that the user should know at once.
    fn note(&mut self, _text: &str) {}

    /// Records were collected: those of an interval, or of what ended after the last one. Of a phase without
    /// length nothing but this is reported.
    fn collected(&mut self, _collected: &Collected<'_>) {}

    /// An interval is over.
    fn interval(&mut self, _interval: &Interval<'_>) {}

    /// The measured phase is over.
    fn measured(&mut self) {}
}

/// One figure read at both ends of the measured phase and of the whole run. A reading stands for
/// the middle of the time that it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readings<T> {
    /// Before the first transaction.
    pub before: T,
    /// At the start of the measured phase and at its end, if both could be read.
    pub measured: Option<((T, Instant), (T, Instant))>,
    /// After the last transaction.
    pub after: T,
}

/// Open arrivals that were due and waited for a free session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// At the begin of the measured phase.
    pub start: u64,
    /// At its end.
    pub end: u64,
    /// The most at the end of an interval of the measured phase.
    pub max: u64,
}

/// One step of a load that changes, in addition to its records in the total.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepSeen {
    /// Its begin, since the start of the load.
    pub from: Duration,
    /// Its actual length.
    pub length: Duration,
    /// Transactions that ended well per second, for each of its full intervals.
    pub throughput: Vec<f64>,
    /// Arrivals that were due in it and that no session came to take.
    pub never_taken: u64,
}

/// The raw result of a run. What is added up over sessions and hosts is read through [`Gathered`].
#[derive(Debug)]
pub struct Measurement {
    /// All records of all sessions.
    pub total: Recorder,
    /// Transactions that ended per second, for each full interval of the measured phase, whenever they were due.
    pub throughput: Vec<f64>,
    /// The same for the intervals at both ends of which more arrivals waited than there are sessions: what
    /// the database can do.
    pub saturated: Vec<f64>,
    /// The steps that were begun, of a load that changes.
    pub steps: Vec<StepSeen>,
    /// Arrivals that waited; `None` in closed runs.
    pub backlog: Option<Backlog>,
    /// The start of the load, by the run's clock.
    pub origin: Instant,
    /// Why the run ended.
    pub ended_by: RunEnd,
    /// The workload's counter in the database.
    pub counter: Option<Readings<u64>>,
    /// The sums in the database that prove commits, before the first transaction and after the last.
    pub sums: Option<[[i64; COUNTERS_MAX]; 2]>,
    /// The server's counters.
    pub server: Option<Readings<Counters>>,
    /// The first error of a reading of the counters.
    pub probe_error: Option<Error>,
    /// Whether the counters could not be read after the load.
    pub unanswered: bool,
    /// Whether time was virtual.
    pub virtual_time: bool,
    /// The part that sessions and hosts contributed.
    pub gathered: Gathered,
}

impl Measurement {
    /// An empty measurement of so many kinds of transactions.
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
