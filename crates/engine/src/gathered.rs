//! The part of a measurement that is added up over sessions and hosts.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacho_core::{Error, Result};
use tacho_driver::Traffic;
use tacho_metrics::Latencies;
use tacho_workload::Tally;

/// The times that one virtual user measured; in JSON `[session, service]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "(u32, Vec<Latencies>)", into = "(u32, Vec<Latencies>)")]
pub struct SessionTimes {
    /// Its number, from 0.
    pub session: u32,
    /// End − sent of what ended well in the measured phase, for each kind of transaction.
    pub service: Vec<Latencies>,
}

impl From<(u32, Vec<Latencies>)> for SessionTimes {
    fn from((session, service): (u32, Vec<Latencies>)) -> Self {
        Self { session, service }
    }
}

impl From<SessionTimes> for (u32, Vec<Latencies>) {
    fn from(times: SessionTimes) -> Self {
        (times.session, times.service)
    }
}

/// What one session, one host or all of them did, in addition to their records.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Gathered {
    /// Sessions that had not ended when the wait for them was over.
    pub abandoned: u32,
    /// Arrivals of the measured phase that no session came to take.
    pub never_taken: u64,
    /// The same for each step of a load that changes.
    pub never_taken_in_steps: Vec<u64>,
    /// Why sessions gave up, one entry for each.
    pub lost: Vec<Error>,
    /// Sessions that panicked: a bug in Tacho.
    pub panics: u32,
    /// What the clients submitted.
    pub tally: Tally,
    /// What was sent.
    pub traffic: Traffic,
    /// The times of each virtual user, if they were asked for; those of abandoned ones are missing.
    pub session_times: Vec<SessionTimes>,
    /// The first error of a session that could not ask what the database had done for its queries.
    pub query_stats_error: Option<Error>,
    /// An identity of the accounts that did not hold: a bug in Tacho.
    pub imbalance: Option<String>,
    /// Length of the measured phase; of several hosts, the longest.
    pub measured: Duration,
}

impl Gathered {
    /// Adds another session or host.
    ///
    /// # Errors
    /// Returns an error if `other` tallied by other rules; everything else is added.
    pub fn add(&mut self, mut other: Self) -> Result<()> {
        self.abandoned += other.abandoned;
        self.never_taken += other.never_taken;
        let steps = other.never_taken_in_steps.len().max(self.never_taken_in_steps.len());
        self.never_taken_in_steps.resize(steps, 0);
        for (sum, count) in self.never_taken_in_steps.iter_mut().zip(&other.never_taken_in_steps) {
            *sum += count;
        }
        self.lost.append(&mut other.lost);
        self.panics += other.panics;
        self.traffic = self.traffic.plus(other.traffic);
        self.session_times.append(&mut other.session_times);
        self.query_stats_error = self.query_stats_error.take().or(other.query_stats_error);
        self.imbalance = self.imbalance.take().or(other.imbalance);
        self.measured = self.measured.max(other.measured);
        if self.tally == Tally::default() {
            self.tally = other.tally;
            return Ok(());
        }
        self.tally.merge(&other.tally)
    }
}
