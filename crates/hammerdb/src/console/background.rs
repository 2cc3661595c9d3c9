//! What is running next to everything else: the transaction counter and the load of the machine.

use super::Console;
use super::counter::Counter;
use super::metrics::Metrics;

/// What is running.
#[derive(Default)]
pub(super) struct Background {
    pub(super) counter: Option<Counter>,
    pub(super) metrics: Option<Metrics>,
}

impl Background {
    pub(super) fn has_metrics(&self) -> bool {
        self.metrics.is_some()
    }
}

impl Console {
    /// Takes what has come of it.
    pub(super) fn hear_background(&mut self) {
        self.hear_counter();
        self.hear_metrics();
    }
}
