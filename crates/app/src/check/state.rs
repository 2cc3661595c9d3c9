//! How far the checks are, as a front end shows it.

use std::time::Duration;

/// Progress of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckState {
    /// Questions to the database that are answered.
    pub done: usize,
    /// Questions in all.
    pub count: usize,
    /// Time since the begin.
    pub elapsed: Duration,
}

impl CheckState {
    /// Time that the rest takes at the speed so far; `None` before anything is known.
    pub fn time_remaining(&self) -> Option<Duration> {
        let settled = self.done > 0 && self.elapsed > Duration::from_millis(500);
        let left = (self.count - self.done) as f64;
        settled.then(|| self.elapsed.mul_f64(left / self.done as f64))
    }
}
