//! The transaction counter and the machine's load, which are recorded while commands run.
//!
//! Values are stored with the job immediately. As in HammerDB, their lines are printed only when a script waits for
//! events, so that a line never appears within the output of another command.

use super::Console;
use super::counter::Counter;
use super::metrics::Metrics;

/// The counter and the metrics, if they are running.
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

    /// Stores a line for the next wait for events.
    pub(super) fn say(&mut self, line: String) {
        self.lines.push(line);
    }
}

impl Console {
    /// Stores the values that have arrived.
    pub(super) fn hear_background(&mut self) {
        self.hear_counter();
        self.hear_metrics();
    }

    /// Returns the lines of the counter and of the metrics since the previous call. Only a caller that waits for events
    /// should use this.
    pub fn background_lines(&mut self) -> Vec<String> {
        self.hear_background();
        std::mem::take(&mut self.background.lines)
    }

    /// Prints the stored lines, because the counter or the metrics end.
    pub(super) fn flush_background(&mut self) {
        let lines = self.background_lines();
        self.out.extend(lines);
    }
}
