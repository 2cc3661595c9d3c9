//! A clock for threads that may block. A wait blocks the thread, so a future is never pending.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tacho_core::{Clock, Instant, Timer};

use crate::Signal;

/// Real time since a common origin.
#[derive(Clone, Debug)]
pub struct BlockingClock {
    origin: std::time::Instant,
    signal: Arc<Signal>,
}

impl BlockingClock {
    /// Creates a clock whose waits end early when `signal` is raised.
    pub fn new(origin: std::time::Instant, signal: Arc<Signal>) -> Self {
        Self { origin, signal }
    }

    /// Returns a copy of this clock whose waits end early when a different signal is raised.
    #[must_use]
    pub(crate) fn with(&self, signal: Arc<Signal>) -> Self {
        Self { signal, ..self.clone() }
    }
}

impl Clock for BlockingClock {
    #[inline]
    fn now(&self) -> Instant {
        Instant(self.origin.elapsed().as_nanos() as u64)
    }

    fn timer(&self) -> Box<dyn Timer> {
        Box::new(self.clone())
    }
}

impl Timer for BlockingClock {
    fn poll(&mut self, due: Instant, _: &mut Context<'_>) -> Poll<()> {
        loop {
            let left = due.since(self.now());
            if left == Duration::ZERO || self.signal.is_raised() {
                return Poll::Ready(());
            }
            // Wait for at most one day, because adding a longer time to the current time might overflow.
            self.signal.wait(left.min(Duration::from_hours(24)));
        }
    }
}
