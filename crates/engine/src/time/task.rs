//! The clock of event-driven sessions: a wait is a timer of the worker's event loop.
//!
//! The event loop keeps timers to the millisecond, rounded up. What that costs is measured with
//! every transaction as lateness, and is part of its latency.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tacho_core::{Clock, Instant, Timer};
use tokio::time::Sleep;

use crate::Signal;

/// Real time since a common origin, for futures on a worker's event loop.
#[derive(Clone, Debug)]
pub struct TaskClock {
    origin: std::time::Instant,
    signal: Arc<Signal>,
}

impl TaskClock {
    /// A clock whose waits end early when `signal` is raised.
    pub fn new(origin: std::time::Instant, signal: Arc<Signal>) -> Self {
        Self { origin, signal }
    }
}

impl Clock for TaskClock {
    #[inline]
    fn now(&self) -> Instant {
        Instant(self.origin.elapsed().as_nanos() as u64)
    }

    fn timer(&self) -> Box<dyn Timer> {
        Box::new(TaskTimer {
            place: self.signal.place(),
            clock: self.clone(),
            sleep: None,
            armed: Instant::FAR,
        })
    }
}

/// Reuses one entry of the event loop's timer wheel for all waits of a session.
struct TaskTimer {
    clock: TaskClock,
    place: usize,
    sleep: Option<Pin<Box<Sleep>>>,
    armed: Instant,
}

impl Timer for TaskTimer {
    fn poll(&mut self, due: Instant, context: &mut Context<'_>) -> Poll<()> {
        if self.clock.signal.is_raised() || self.clock.now() >= due {
            return Poll::Ready(());
        }
        let at = self.clock.origin + Duration::from_nanos(due.0.min(u64::MAX / 8));
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at.into())));
        if self.armed != due {
            self.armed = due;
            sleep.as_mut().reset(at.into());
        }
        self.clock.signal.watch(self.place, context.waker());
        // Raised between the first look and the watch: nobody would wake us.
        if self.clock.signal.is_raised() {
            return Poll::Ready(());
        }
        sleep.as_mut().poll(context)
    }
}
