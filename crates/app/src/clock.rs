//! The clock of a use case.

use std::sync::Arc;

use tacho_engine::{BlockingClock, Signal};

/// Returns a clock that starts now.
#[expect(clippy::disallowed_methods, reason = "creates the clock for a command")]
pub(crate) fn clock() -> BlockingClock {
    BlockingClock::new(std::time::Instant::now(), Arc::new(Signal::default()))
}
