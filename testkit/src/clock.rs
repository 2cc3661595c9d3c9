//! Clocks for tests that drive a session without the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tacho_core::{Clock, Instant, Timer};

/// Real time since the clock was created. Waiting blocks the thread.
#[derive(Clone, Copy, Debug)]
pub struct TestClock {
    origin: std::time::Instant,
}

impl Default for TestClock {
    #[expect(clippy::disallowed_methods, reason = "this is a clock")]
    fn default() -> Self {
        Self { origin: std::time::Instant::now() }
    }
}

impl Clock for TestClock {
    fn now(&self) -> Instant {
        Instant(self.origin.elapsed().as_nanos() as u64)
    }

    fn timer(&self) -> Box<dyn Timer> {
        Box::new(*self)
    }
}

impl Timer for TestClock {
    #[expect(clippy::disallowed_methods, reason = "this is a clock")]
    fn poll(&mut self, due: Instant, _: &mut Context<'_>) -> Poll<()> {
        std::thread::sleep(due.since(self.now()));
        Poll::Ready(())
    }
}

/// Virtual time that jumps to the time for which a timer waits. It is correct only if there is a single session.
#[derive(Clone, Debug, Default)]
pub struct JumpingClock {
    now: Arc<AtomicU64>,
}

impl JumpingClock {
    /// Moves the clock forward to `moment`, but never backward.
    pub fn jump(&self, moment: Instant) {
        self.now.fetch_max(moment.0, Ordering::Relaxed);
    }
}

impl Clock for JumpingClock {
    fn now(&self) -> Instant {
        Instant(self.now.load(Ordering::Relaxed))
    }

    fn timer(&self) -> Box<dyn Timer> {
        Box::new(self.clone())
    }
}

impl Timer for JumpingClock {
    fn poll(&mut self, due: Instant, _: &mut Context<'_>) -> Poll<()> {
        self.jump(due);
        Poll::Ready(())
    }
}
