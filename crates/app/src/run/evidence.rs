//! The evidence for a verdict that is not part of the result.

use std::time::Duration;

use tacho_core::Error;
use tacho_driver::Advice;

use super::examine::Examined;
use super::measure::Measured;
use super::opened::Opened;

/// The evidence that is not saved.
#[derive(Default)]
pub(super) struct Evidence {
    /// An identity of the accounts that did not hold: a bug of Tacho.
    pub(super) imbalance: Option<String>,
    /// Sessions that panicked: a bug of Tacho.
    pub(super) panics: u32,
    /// The errors after which sessions gave up.
    pub(super) lost: Vec<String>,
    /// Sessions that lost their connection and were not back when the load ended.
    pub(super) missing: u64,
    /// True if sessions wait for a server that no longer answers anything.
    pub(super) never_answered: bool,
    /// True if the server may have lost commits in an outage, and this could not be checked.
    pub(super) unknown_after_outage: bool,
    /// Sessions that had not ended when the wait for them was over.
    pub(super) abandoned: u32,
    /// The size of the data at the start relative to the load, by the counter of the headline.
    pub(super) growth: Option<f64>,
    /// The counter of the headline before and after the load, if it fell.
    pub(super) fallen: Option<[u64; 2]>,
    /// The reason why a counter could not be read.
    pub(super) probe_error: Option<String>,
    /// Length of the measured phase by the calendar and by the clock; `None` on virtual time.
    pub(super) clocks: Option<[Duration; 2]>,
    /// The reason why the server was not watched to the end.
    pub(super) unwatched: Option<String>,
    /// The changes of settings during the run.
    pub(super) changed: Option<String>,
    /// The changes of tables during the run.
    pub(super) restructured: Option<String>,
    /// The reason why settings could not be read again.
    pub(super) unread: Option<String>,
    /// The advice of the driver about the server and the data before the run.
    pub(super) advice: Vec<Advice>,
    /// Full intervals of the measured phase.
    pub(super) intervals: u64,
    /// The reason why the record is not complete.
    pub(super) unwritten: Option<String>,
}

impl Evidence {
    /// Collects the evidence of a run. `unwritten` is the first failure to write the record.
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
            changed: examined.server.changed.clone(),
            restructured: examined.restructured.clone(),
            unread: examined.server.unread.as_ref().map(ToString::to_string),
            advice: opened.facts.advice.clone(),
            intervals: measurement.throughput.len() as u64,
            unwritten: unwritten.map(ToString::to_string),
        }
    }
}
