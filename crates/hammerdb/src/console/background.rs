//! Records the transaction counter and the machine's load metrics while commands run.
//!
//! Values are stored with the job immediately. They are printed only while a script waits for events, as in HammerDB.

use super::Console;
use super::counter::Counter;
use super::metrics::Metrics;

/// The transaction counter and the load metrics, if they are running.
#[derive(Default)]
pub(super) struct Background {
    pub(super) counter: Option<Counter>,
    pub(super) metrics: Option<Metrics>,
    /// Lines that have not been printed yet.
    lines: Vec<String>,
}

impl Background {
    pub(super) fn has_metrics(&self) -> bool {
        self.metrics.is_some()
    }

    /// Queues a line. It is printed the next time a script waits for events.
    pub(super) fn say(&mut self, line: String) {
        self.lines.push(line);
    }
}

impl Console {
    /// Stores the values that have arrived from the counter and the metrics since the previous call.
    pub(super) fn hear_background(&mut self) {
        self.hear_counter();
        self.hear_metrics();
    }

    /// Returns the new output lines of the counter and the metrics. Must be called only while a script waits for
    /// events.
    pub fn background_lines(&mut self) -> Vec<String> {
        self.hear_background();
        std::mem::take(&mut self.background.lines)
    }

    /// Prints the queued lines. Called when the counter or the metrics are stopped.
    pub(super) fn flush_background(&mut self) {
        let lines = self.background_lines();
        self.out.extend(lines);
    }
}
