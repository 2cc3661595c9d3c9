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

    /// Returns true if the run must call [`Collector::finish`] and wait for it.
    fn finishes(&self) -> bool {
        false
    }

    /// Does the work that is left at the end of an observation, and returns the final gauges.
    fn finish(&mut self) -> BoxFuture<'_, Result<Reading>> {
        Box::pin(std::future::ready(Ok(Reading::default())))
    }

    /// Returns the number of transactions that this observer executed. The server's counters include them.
    fn transactions(&self) -> u64 {
        0
    }

    /// Explains which statistics are missing. Each entry states the reason, such as a missing privilege, and how to fix
    /// it.
    fn missing(&self) -> &[String];
}

/// A server's counters and gauges at one point in time. Each name ends with the unit of the value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Values that only increase while the server is running, such as bytes written.
    pub counters: Vec<(&'static str, u64)>,
    /// Values that can rise and fall, such as the number of dirty pages.
    pub gauges: Vec<(&'static str, u64)>,
}

/// A wait event, and the number of Tacho's sessions that are waiting for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The class of the event as named by the database, or `CPU` for sessions that are running.
    pub class: String,
    /// The event's name; empty for running sessions.
    pub event: String,
    /// The kind of wait that the driver has assigned to this event.
    pub kind: WaitKind,
    /// The number of sessions.
    pub sessions: u32,
}
