//! The transaction counter and the load of the machine, which continue while commands are at work.
//!
//! Their values are kept with the job at once. Their lines wait until a script waits for events, as with HammerDB: a
//! line never appears within the output of another command.

use super::Console;
use super::counter::Counter;
use super::metrics::Metrics;

/// The counter and the metrics, if they are running.
#[derive(Default)]
pub(super) struct Background {
    pub(super) counter: Option<Counter>,
    pub(super) metrics: Option<Metrics>,
    /// Lines that were not printed yet.
    lines: Vec<String>,
}

impl Background {
    pub(super) fn has_metrics(&self) -> bool {
        self.metrics.is_some()
    }

    /// Notes a line for the next wait for events.
    pub(super) fn say(&mut self, line: String) {
        self.lines.push(line);
    }
}

impl Console {
    /// Keeps the values that have arrived.
    pub(super) fn hear_background(&mut self) {
        self.hear_counter();
        self.hear_metrics();
    }

    /// Returns the lines of the counter and of the metrics since the last call. Only for whoever waits for events.
    pub fn background_lines(&mut self) -> Vec<String> {
        self.hear_background();
        std::mem::take(&mut self.background.lines)
    }

    /// Prints the lines that wait, since what they come from ends.
    pub(super) fn flush_background(&mut self) {
        let lines = self.background_lines();
        self.out.extend(lines);
    }
}
