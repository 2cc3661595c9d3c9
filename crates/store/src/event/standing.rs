//! Figures of a phase while it is running.
//!
//! Start reading at [`Standing`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::HostState;
use crate::record::{DistributionRecord, ErrorRecord, ThresholdRecord, TransactionRecord};

/// The figures of a phase so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// `ramp-up` or `measure`.
    pub phase: String,
    /// Length of the phase so far.
    pub elapsed_s: f64,
    /// One entry for each kind of transaction, then `all`.
    pub transactions: Vec<TransactionRecord>,
    /// The same for the queries of streams that run next to the transactions, if any.
    pub queries: Vec<TransactionRecord>,
    /// The workload's own figure, as the client counts it.
    pub headline: Option<StandingHeadline>,
    /// Latencies of each kind of transaction by size, for histograms of other systems.
    #[serde(default)]
    pub buckets: Vec<Buckets>,
    /// Failures of the run by class, those of ramp-up included.
    pub errors: Vec<ErrorRecord>,
    /// Limits with their state, by the client's counts; none during ramp-up.
    pub thresholds: Vec<ThresholdRecord>,
    /// Lateness of Tacho's timers.
    pub lateness: DistributionRecord,
    /// Time for which arrivals waited for a free session; empty in closed runs.
    pub session_wait: DistributionRecord,
    /// Cores that Tacho has used, on average over the measured phase.
    pub cpu_cores: Option<f64>,
    /// Cores of the machine.
    pub cores: u32,
    /// Tacho's machine in the last interval; absent on virtual time and where the system does not report its load.
    pub host: Option<HostLoad>,
}

/// The workload's own figure so far, such as NOPM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StandingHeadline {
    /// Its name.
    pub name: String,
    /// Its value per minute.
    pub per_minute: f64,
}

/// Load of Tacho's machine: means over an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostLoad {
    /// Processors in use, by all programs.
    pub busy_cores: f64,
    /// Processors that this process used.
    pub own_cores: f64,
    /// Bytes that all disks read and wrote.
    pub disk_bytes_per_s: f64,
    /// Reads and writes of all disks.
    pub disk_transfers_per_s: f64,
}

impl HostLoad {
    /// Returns the load of Tacho's machine, if it is among the observed ones.
    pub fn of(hosts: &[HostState]) -> Option<Self> {
        let host = hosts.iter().find(|host| host.tacho_cores.is_some())?;
        Some(Self {
            busy_cores: host.busy_cores,
            own_cores: host.tacho_cores?,
            disk_bytes_per_s: host.read_bytes_per_s + host.written_bytes_per_s,
            disk_transfers_per_s: host.disk_transfers_per_s,
        })
    }
}

/// Upper bounds of [`Buckets`], in microseconds.
pub const BUCKETS_US: [u64; 19] = [
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
];

/// Latencies of one kind of transaction, to the resolution of the histogram: three digits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Buckets {
    /// The kind.
    pub name: String,
    /// Numbers of transactions that took at most as long as each of [`BUCKETS_US`].
    pub counts: Vec<u64>,
    /// Number of all transactions.
    pub count: u64,
    /// Their latencies in all.
    pub sum_s: f64,
}
