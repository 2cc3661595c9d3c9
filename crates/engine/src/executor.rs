//! The thread that runs futures, and the clock that they use.
//!
//! Start reading at [`Executor`].

use std::future::Future;
use std::sync::Arc;

use tacho_core::{Clock, Error, ErrorKind, Result};

use crate::batch::keep_from_preempting;
use crate::{
    BlockingClock, EventLoop, Interrupt, Signal, TaskClock, VirtualClock, block_on_virtual,
};

/// The clock of a run. There are several kinds of clocks, which differ in how a session waits.
#[derive(Clone)]
pub(crate) enum Time {
    Virtual(VirtualClock),
    /// Waits are futures on an event loop.
    Tasks(TaskClock),
    /// Waits block the thread.
    Thread(BlockingClock),
}

impl Time {
    /// Returns a clock of this kind whose waits end early when `signal` is raised.
    pub(crate) fn clock(&self, signal: Arc<Signal>) -> Arc<dyn Clock> {
        match self {
            Self::Virtual(clock) => Arc::new(clock.with(signal)),
            Self::Tasks(clock) => Arc::new(clock.with(signal)),
            Self::Thread(clock) => Arc::new(clock.with(signal)),
        }
    }
}

/// Runs futures on the thread that created it.
pub(crate) struct Executor {
    pub(crate) time: Time,
    event_loop: Option<EventLoop>,
}

impl Executor {
    /// Returns the executor for the sessions of one worker.
    pub(crate) fn of_sessions(time: Time) -> Result<Self> {
        let tasks = matches!(time, Time::Tasks(_));
        if tasks {
            keep_from_preempting();
        }
        Self::new(time, tasks)
    }

    /// Returns an executor with or without an event loop.
    pub(crate) fn new(time: Time, on_loop: bool) -> Result<Self> {
        Ok(Self { time, event_loop: on_loop.then(EventLoop::new).transpose()? })
    }

    /// Runs a future to completion, or until `go_on` returns false. A future that blocks its thread or uses virtual
    /// time always runs to completion.
    pub(crate) fn block_while<T>(
        &self,
        future: impl Future<Output = Result<T>>,
        go_on: impl FnMut() -> bool,
    ) -> Result<T> {
        let done = match (&self.time, &self.event_loop) {
            (Time::Virtual(clock), _) => return on_virtual(clock, future),
            (Time::Tasks(clock), Some(event_loop)) => {
                event_loop.block_while(clock.drive(future), go_on)
            }
            (_, Some(event_loop)) => event_loop.block_while(future, go_on),
            (_, None) => Some(pollster::block_on(future)),
        };
        done.unwrap_or_else(|| Err(Interrupt::error()))
    }

    /// Runs a future to completion in real time.
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        match (&self.time, &self.event_loop) {
            (Time::Tasks(clock), Some(event_loop)) => event_loop.block_on(clock.drive(future)),
            (_, Some(event_loop)) => event_loop.block_on(future),
            (_, None) => pollster::block_on(future),
        }
    }
}

/// Runs a single future to completion in virtual time.
fn on_virtual<T>(clock: &VirtualClock, future: impl Future<Output = Result<T>>) -> Result<T> {
    let mut result = Err(Error::new(ErrorKind::Other, "waited forever on virtual time"));
    block_on_virtual(clock, vec![Box::pin(async { result = future.await })]);
    result
}
