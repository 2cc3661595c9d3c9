//! Observing a server while it works: its counters and gauges, and what its sessions wait for.
//!
//! Start reading at [`Collector`].

use tacho_core::{Result, WaitKind};

use crate::BoxFuture;

/// An observer of a server during a run, on a connection of its own.
pub trait Collector: Send {
    /// The server's counters and gauges.
    fn read(&mut self) -> BoxFuture<'_, Result<Reading>>;

    /// What our sessions are doing at this moment; idle ones are left out.
    fn waits(&mut self) -> BoxFuture<'_, Result<Vec<Wait>>>;

    /// Whether [`Collector::finish`] has something to do, so that the end of a run waits for it.
    fn finishes(&self) -> bool {
        false
    }

    /// What is done as the observation ends: the gauges that it leaves.
    fn finish(&mut self) -> BoxFuture<'_, Result<Reading>> {
        Box::pin(std::future::ready(Ok(Reading::default())))
    }

    /// Transactions that this observer has ended so far and that the server's counters include; 0 if they do not
    /// include them.
    fn transactions(&self) -> u64 {
        0
    }

    /// What cannot be seen for want of privileges or extensions, in sentences with the remedy.
    fn missing(&self) -> &[String];
}

/// What a server reports at one moment, by name with the unit last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What only grows while the server is up, such as bytes written.
    pub counters: Vec<(&'static str, u64)>,
    /// What rises and falls, such as dirty pages.
    pub gauges: Vec<(&'static str, u64)>,
}

/// Sessions of ours that wait for the same thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Class, in the database's own words; `CPU` for sessions that run.
    pub class: String,
    /// Event; empty for sessions that run.
    pub event: String,
    /// What it is, by the driver's knowledge of these words.
    pub kind: WaitKind,
    /// How many sessions.
    pub sessions: u32,
}
