//! Observes a server during a run. Reads its counters, gauges and wait events.
//!
//! Start reading at [`Collector`].

use tacho_core::{Result, WaitKind};

use crate::BoxFuture;

/// An observer of a server during a run. It uses a separate connection.
pub trait Collector: Send {
    /// Returns the server's counters and gauges.
    fn read(&mut self) -> BoxFuture<'_, Result<Reading>>;

    /// Returns what Tacho's sessions are waiting for. Idle sessions are omitted.
    fn waits(&mut self) -> BoxFuture<'_, Result<Vec<Wait>>>;

    /// Returns true if the run must wait for [`Collector::finish`].
    fn finishes(&self) -> bool {
        false
    }

    /// Finishes the observation and returns the final gauges.
    fn finish(&mut self) -> BoxFuture<'_, Result<Reading>> {
        Box::pin(std::future::ready(Ok(Reading::default())))
    }

    /// Returns the number of this observer's own transactions, which the server's counters include.
    fn transactions(&self) -> u64 {
        0
    }

    /// Returns sentences about missing statistics: the reason, such as a missing privilege, and the fix.
    fn missing(&self) -> &[String];
}

/// A server's counters and gauges at one point in time. Each name ends with its unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Values that only increase while the server is running, such as bytes written.
    pub counters: Vec<(&'static str, u64)>,
    /// Values that rise and fall, such as dirty pages.
    pub gauges: Vec<(&'static str, u64)>,
}

/// A wait event, and the number of Tacho's sessions that are waiting for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The class of the event in the database's terms, or `CPU` for running sessions.
    pub class: String,
    /// The event's name; empty for running sessions.
    pub event: String,
    /// The kind of wait, as classified by the driver.
    pub kind: WaitKind,
    /// The number of sessions.
    pub sessions: u32,
}
