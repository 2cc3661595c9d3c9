//! The engine's source of time. In tests, a simulated clock can pass an hour in less than a second.

use std::task::{Context, Poll};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time, in nanoseconds since an arbitrary origin that depends on the clock.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Instant(pub u64);

impl Instant {
    /// An instant that is later than the end of any run.
    pub const FAR: Self = Self(u64::MAX);

    /// Returns the time since `earlier`, or zero if `earlier` is in the future.
    #[inline]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// Returns the instant that is `span` later, but no later than [`Instant::FAR`].
    #[inline]
    #[must_use]
    pub const fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.as_nanos() as u64))
    }

    /// Converts this instant to another clock's time. `here` and `there` are the times that this clock and the other
    /// one showed at the same moment.
    #[must_use]
    pub const fn moved(self, here: Self, there: Self) -> Self {
        if self.0 >= here.0 {
            there.plus(self.since(here))
        } else {
            Self(there.0.saturating_sub(here.0 - self.0))
        }
    }
}

/// A source of time.
pub trait Clock: Send + Sync {
    /// Returns the current time, which never goes backwards.
    fn now(&self) -> Instant;

    /// Creates a timer. A task should reuse its timer for all its waits, because creating a timer allocates memory.
    fn timer(&self) -> Box<dyn Timer>;
}

/// A timer that belongs to one waiter.
pub trait Timer: Send {
    /// Polls the timer. It is ready once the clock has reached `due`, or earlier if the run is being stopped.
    fn poll(&mut self, due: Instant, context: &mut Context<'_>) -> Poll<()>;
}

impl dyn Timer {
    /// Waits until `due`, or returns earlier if the run is being stopped.
    pub async fn until(&mut self, due: Instant) {
        std::future::poll_fn(|context| self.poll(due, context)).await;
    }
}
