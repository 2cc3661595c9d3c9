//! One thread's event loop, for event-driven drivers.

use std::future::Future;
use std::time::Duration;

use tacho_core::{Error, Result};
use tokio::runtime::{Builder, Runtime};

/// An event loop that runs on the calling thread: no work stealing, no wake-up across threads.
#[derive(Debug)]
pub struct EventLoop(Runtime);

impl EventLoop {
    /// Makes one. Fails if the system has no more file descriptors.
    pub fn new() -> Result<Self> {
        Builder::new_current_thread()
            .enable_all()
            .build()
            .map(Self)
            .map_err(|error| Error::from(error).during("start an event loop"))
    }

    /// Runs a future to its end.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.0.block_on(future)
    }

    /// Runs a future to its end, or gives it up after a time: `None` then. A future that blocks its thread
    /// is not given up.
    pub fn block_within<T>(&self, limit: Duration, future: impl Future<Output = T>) -> Option<T> {
        self.0.block_on(async { tokio::time::timeout(limit, future).await.ok() })
    }
}
