//! Time as the engine sees it: injected, so that a test can run an hour in a second.

use std::task::{Context, Poll};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A moment: nanoseconds since the clock's own origin.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Instant(pub u64);

impl Instant {
    /// Further away than any run.
    pub const FAR: Self = Self(u64::MAX);

    /// The time from `earlier` to this moment; zero if it was not earlier.
    #[inline]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// This moment and `span` more; stays at [`Instant::FAR`] when it would pass it.
    #[inline]
    #[must_use]
    pub const fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.as_nanos() as u64))
    }

    /// The same moment by a clock of which `there` is the moment `here`.
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
    /// The present moment. Never goes backwards.
    fn now(&self) -> Instant;

    /// A timer for one waiter; made once and used for every wait, so that waiting allocates nothing.
    fn timer(&self) -> Box<dyn Timer>;
}

/// One waiter's alarm.
pub trait Timer: Send {
    /// Ready when the clock has reached `due`, or earlier when the run is being stopped.
    fn poll(&mut self, due: Instant, context: &mut Context<'_>) -> Poll<()>;
}

impl dyn Timer {
    /// Waits until `due`, or until the run is being stopped.
    pub async fn until(&mut self, due: Instant) {
        std::future::poll_fn(|context| self.poll(due, context)).await;
    }
}
