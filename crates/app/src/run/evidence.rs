//! The facts, in addition to the result itself, on which a verdict depends.

use std::time::Duration;

use tacho_core::Error;
use tacho_driver::Advice;

use super::examine::Examined;
use super::measure::Measured;
use super::opened::Opened;

/// Evidence that is not saved in the record.
#[derive(Default)]
pub(super) struct Evidence {
    /// The description of an accounting error: counts that must be equal but are not. This is a bug in Tacho.
    pub(super) imbalance: Option<String>,
    /// The number of sessions that panicked. A panic is a bug in Tacho.
    pub(super) panics: u32,
    /// The errors that caused sessions to give up.
    pub(super) lost: Vec<String>,
    /// The number of sessions that lost their connection and were still without one at the end of the load.
    pub(super) missing: u64,
    /// True if the server has stopped responding, so that sessions still wait for an answer.
    pub(super) never_answered: bool,
    /// True if the server may have lost commits in an outage and Tacho could not check this.
    pub(super) unknown_after_outage: bool,
    /// The number of sessions that were still running when Tacho stopped waiting for them.
    pub(super) abandoned: u32,
    /// The size of the data at the start of the run, relative to the size after loading.
    pub(super) growth: Option<f64>,
    /// The headline counter before and after the load; present only if it decreased.
    pub(super) fallen: Option<[u64; 2]>,
    /// The reason why a counter could not be read.
    pub(super) probe_error: Option<String>,
    /// The length of the measured phase, measured with the wall clock and with the steady clock. It is `None` if the
    /// driver simulates time.
    pub(super) clocks: Option<[Duration; 2]>,
    /// The reason why monitoring of the server stopped early.
    pub(super) unwatched: Option<String>,
    /// A description of what the log of transactions lacks.
    pub(super) unlogged: Option<String>,
    /// Settings that changed during the run.
    pub(super) changed: Option<String>,
    /// Tables that changed during the run.
    pub(super) restructured: Option<String>,
    /// The reason why the settings could not be read again after the load.
    pub(super) unread: Option<String>,
    /// Problems with the server and the data that can make results misleading. The driver reported them before the
    /// run.
    pub(super) advice: Vec<Advice>,
    /// The number of full intervals in the measured phase.
    pub(super) intervals: u64,
    /// The reason why the record is incomplete.
    pub(super) unwritten: Option<String>,
}

impl Evidence {
    /// Collects the evidence from a run. `unwritten` is the first error that occurred while the record was being
    /// written.
    pub(super) fn of(
        opened: &Opened,
        measured: &Measured,
        examined: &Examined,
        unwritten: Option<&Error>,
    ) -> Self {
        let measurement = &measured.measurement;
        let of_marks = examined.acknowledged.as_ref().and_then(|found| found.imbalance.clone());
        let loaded = opened.instance.headline().map_or(0, |headline| headline.loaded);
        let counter = measurement.counter;
        let before = counter.map(|readings| readings.before).filter(|_| loaded > 0);
        Self {
            imbalance: measurement.imbalance.clone().or(of_marks),
            panics: measurement.panics,
            lost: measurement.lost.iter().map(ToString::to_string).collect(),
            missing: measured.missing_sessions(),
            never_answered: measured.never_answered(),
            unknown_after_outage: measured.is_unknown_after_outage(),
            abandoned: measurement.abandoned,
            growth: before.map(|before| 1.0 + before as f64 / loaded as f64),
            fallen: counter
                .filter(|readings| readings.after < readings.before)
                .map(|readings| [readings.before, readings.after]),
            probe_error: measurement.probe_error.as_ref().map(ToString::to_string),
            clocks: measured.clocks.filter(|_| !measurement.virtual_time),
            unwatched: measured.unwatched.clone(),
            unlogged: measured.unlogged.clone(),
            changed: examined.server.changed.clone(),
            restructured: examined.restructured.clone(),
            unread: examined.server.unread.as_ref().map(ToString::to_string),
            advice: opened.facts.advice.clone(),
            intervals: measurement.throughput.len() as u64,
            unwritten: unwritten.map(ToString::to_string),
        }
    }
}
