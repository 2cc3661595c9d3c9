//! The results for arrivals that wait for a session: open arrivals, terminals, and transactions that were late.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DistributionRecord;

/// The results for open arrivals in the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArrivalsRecord {
    /// Arrivals per second that became due.
    pub due_per_s: f64,
    /// Completed transactions per second, including failed ones and those that were due before the phase.
    pub ended_per_s: f64,
    /// Arrivals that were waiting for a free session when the phase started.
    pub backlog_start: u64,
    /// Arrivals that were waiting for a free session when the phase ended.
    pub backlog_end: u64,
    /// The largest number of arrivals that were waiting at the end of any interval.
    pub backlog_max: u64,
    /// Waiting times for a free session, over the arrivals that started in the phase.
    pub session_wait: DistributionRecord,
    /// Lower quartile of the throughput in saturated intervals, in which more arrivals waited than there were sessions.
    pub capacity_per_s: Option<f64>,
}

/// The results for terminals that share sessions in the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TerminalsRecord {
    /// Number of terminals.
    pub terminals: u32,
    /// Number of sessions that the terminals shared.
    pub sessions: u32,
    /// Number of groups into which terminals and sessions were divided. A terminal uses only sessions of its group.
    /// Absent if other hosts ran the sessions.
    pub groups: Option<u32>,
    /// Queueing: waiting times for a free session, over the transactions that started in the phase. Latency includes
    /// them; service time does not.
    pub queueing: DistributionRecord,
    /// Fraction of these transactions that had to wait for a free session, from 0 to 1.
    pub waited_share: f64,
    /// Mean service time of the transactions that ended in the phase.
    pub service_mean_us: f64,
    /// Mean fraction of the sessions that ran a transaction, from 0 to 1.
    pub busy_share: f64,
}

/// Transactions that exceeded the latency limit in the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LateRecord {
    /// The limit.
    pub limit_s: f64,
    /// Successful transactions whose latency exceeded the limit.
    pub late: u64,
    /// Their fraction of all successful transactions, from 0 to 1; absent if there were none.
    pub late_share: Option<f64>,
    /// Arrivals that were skipped, because they were late already or for another reason.
    pub skipped: u64,
    /// Their fraction of all arrivals that were due, from 0 to 1; absent if there were none.
    pub skipped_share: Option<f64>,
}
