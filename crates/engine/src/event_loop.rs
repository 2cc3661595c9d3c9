//! A single-threaded event loop for event-driven drivers.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tacho_core::{Error, Result};
use tokio::runtime::{Builder, Runtime};

/// Interval at which `go_on` is called while a future is running.
const TICK: Duration = Duration::from_millis(100);

/// An event loop on the calling thread. It neither steals work nor wakes other threads.
#[derive(Debug)]
pub struct EventLoop(Runtime);

impl EventLoop {
    /// Creates an event loop. Fails if the process cannot open more files.
    pub fn new() -> Result<Self> {
        Builder::new_current_thread()
            .enable_all()
            .build()
            .map(Self)
            .map_err(|error| Error::from(error).during("start an event loop"))
    }

    /// Runs a future to completion.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.0.block_on(future)
    }

    /// Runs a future to completion. Returns `None` if this takes longer than `limit`. The limit has no effect if the
    /// future blocks its thread.
    pub fn block_within<T>(&self, limit: Duration, future: impl Future<Output = T>) -> Option<T> {
        self.0.block_on(async { tokio::time::timeout(limit, future).await.ok() })
    }

    /// Runs a future to completion, or until `go_on` returns false. A future that blocks its thread always runs to
    /// completion.
    pub fn block_while<T>(
        &self,
        future: impl Future<Output = T>,
        mut go_on: impl FnMut() -> bool,
    ) -> Option<T> {
        let mut future = pin!(future);
        loop {
            let done = self.block_within(TICK, future.as_mut());
            if done.is_some() || !go_on() {
                return done;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_by_itself_or_is_given_up() -> Result<()> {
        let event_loop = EventLoop::new()?;
        let mut asked = 0;
        assert_eq!(event_loop.block_while(async { 1 }, || false), Some(1));
        let given_up = event_loop.block_while(std::future::pending::<()>(), || {
            asked += 1;
            asked < 3
        });
        assert_eq!((given_up, asked), (None, 3));
        Ok(())
    }
}
