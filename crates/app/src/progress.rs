//! What a front end receives while a use case is running.

use std::time::Duration;

use tacho_analysis::Calibration;
use tacho_metrics::Phase;
use tacho_store::record::{ExecutionRecord, Record};
use tacho_store::{IntervalRecord, ServerIntervalRecord};

use crate::{BuildState, CheckState, LoaderState, PointState, Standing, StreamState};

/// A front end's ears. It is called from the use case's own thread; no session waits for it.
pub trait Progress {
    /// Something that a reader should know, in one sentence.
    fn note(&mut self, _text: &str) {}

    /// What equal runs have said before a sweep of so many repetitions.
    fn calibration(&mut self, _calibration: &Calibration, _repeats: u32) {}

    /// How far a build is; several times a second.
    fn build(&mut self, _state: &BuildState) {}

    /// What a loader of a build does, by its number from 0.
    fn loader(&mut self, _loader: usize, _does: &LoaderState) {}

    /// A build is over, well or not; nothing more comes of it.
    fn build_over(&mut self) {}

    /// A measurement begins. The record has its id, plan and server, and no result yet.
    fn begins(&mut self, _record: &Record) {}

    /// A phase of the measurement begins; `length` is its planned length, if it has one.
    fn phase(&mut self, _phase: Phase, _length: Option<Duration>) {}

    /// An interval of the measurement is over.
    fn interval(&mut self, _interval: &IntervalRecord) {}

    /// Whether [`Progress::standing`] is listened to: what it tells costs the percentiles of every kind
    /// of transaction at every interval.
    fn wants_standing(&self) -> bool {
        false
    }

    /// The figures of the phase so far, after each interval of ramp-up and measured phase.
    fn standing(&mut self, _standing: &Standing) {}

    /// The work of the server in the interval that was reported last, where it is watched.
    fn server(&mut self, _server: &ServerIntervalRecord) {}

    /// Transactions that have ended since the last interval, in the order of their ends; only of runs
    /// whose sessions come to an end by themselves.
    fn executions(&mut self, _executions: &[ExecutionRecord]) {}

    /// How far the streams of a run are whose sessions come to an end by themselves; before each
    /// interval.
    fn streams(&mut self, _at: Duration, _streams: &[StreamState]) {}

    /// A point of a sweep begins.
    fn point(&mut self, _point: &PointState) {}

    /// A step between the end of the load and the summary, such as reading the settings again.
    fn ending(&mut self, _step: &str) {}

    /// How far the checks are; several times a second.
    fn checking(&mut self, _state: &CheckState) {}

    /// All checks are over.
    fn checked(&mut self) {}
}

/// A front end that does not listen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
