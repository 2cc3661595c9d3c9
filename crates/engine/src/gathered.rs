//! The results of a measurement that can be added up over sessions and hosts.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacho_core::{Error, Result};
use tacho_driver::Traffic;
use tacho_metrics::Latencies;
use tacho_workload::Tally;

/// A virtual user's service times. The JSON format is `[session, service]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "(u32, Vec<Latencies>)", into = "(u32, Vec<Latencies>)")]
pub struct SessionTimes {
    /// Zero-based session number.
    pub session: u32,
    /// The service times (end − sent) of successful transactions in the measured phase, by transaction type.
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

/// The measured results of one session, one host or all hosts, without the records.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Gathered {
    /// Number of sessions that had not ended after the drain time, in which transactions in flight can finish.
    pub abandoned: u32,
    /// Arrivals in the measured phase that were never taken by a session.
    pub never_taken: u64,
    /// Arrivals that were never taken by a session, for each step of a varying load.
    pub never_taken_in_steps: Vec<u64>,
    /// The errors that stopped sessions, at most one for each session.
    pub lost: Vec<Error>,
    /// Sessions that panicked, which is always a bug in Tacho.
    pub panics: u32,
    /// For each audited rule, the sum of the values that the clients submitted.
    pub tally: Tally,
    /// Number of statements sent and of round trips made.
    pub traffic: Traffic,
    /// Each virtual user's service times, if requested. Users that had not ended after the drain time are missing.
    pub session_times: Vec<SessionTimes>,
    /// The error of the first session that could not read the database's query statistics.
    pub query_stats_error: Option<Error>,
    /// A description of counts that do not add up. This is always a bug in Tacho.
    pub imbalance: Option<String>,
    /// Length of the measured phase. If the length differs between hosts, this is the maximum.
    pub measured: Duration,
}

impl Gathered {
    /// Adds the contribution of another session or host.
    ///
    /// # Errors
    /// Returns an error if the two tallies do not have the same rules. All other values are added even then.
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
