//! Intermediate results of a phase while it is running.
//!
//! Start reading at [`Standing`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::HostState;
use crate::record::{DistributionRecord, ErrorRecord, ThresholdRecord, TransactionRecord};

/// The results of a phase so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// Phase: `ramp-up` or `measure`.
    pub phase: String,
    /// Length of the phase so far.
    pub elapsed_s: f64,
    /// One entry for each transaction type, followed by `all`.
    pub transactions: Vec<TransactionRecord>,
    /// One entry for each query of the query streams, followed by `all`; empty without query streams.
    pub queries: Vec<TransactionRecord>,
    /// The workload's headline metric, as counted by the client.
    pub headline: Option<StandingHeadline>,
    /// Latency histograms by transaction type, for use by other monitoring systems.
    #[serde(default)]
    pub buckets: Vec<Buckets>,
    /// Failures by class since the start of the run, including the ramp-up phase.
    pub errors: Vec<ErrorRecord>,
    /// Thresholds and their current outcomes, based on the client's counts; empty during ramp-up.
    pub thresholds: Vec<ThresholdRecord>,
    /// Lateness of Tacho's timers.
    pub lateness: DistributionRecord,
    /// Time that arrivals or terminals spent waiting for a free session; empty in other closed runs.
    pub session_wait: DistributionRecord,
    /// Mean number of cores that Tacho has used so far in the measured phase.
    pub cpu_cores: Option<f64>,
    /// Number of cores on the machine.
    pub cores: u32,
    /// Load on Tacho's machine in the last interval. Absent in virtual time and on systems that do not report it.
    pub host: Option<HostLoad>,
}

/// The workload's headline metric so far, such as NOPM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StandingHeadline {
    /// Name of the metric.
    pub name: String,
    /// Value per minute.
    pub per_minute: f64,
}

/// Load on Tacho's machine, averaged over an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostLoad {
    /// Number of processors in use by all programs.
    pub busy_cores: f64,
    /// Number of processors used by this process.
    pub own_cores: f64,
    /// Bytes read and written per second on all disks.
    pub disk_bytes_per_s: f64,
    /// Reads and writes per second on all disks.
    pub disk_transfers_per_s: f64,
}

impl HostLoad {
    /// Returns the load on Tacho's machine if that machine is observed.
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

/// Distribution of the latencies of one transaction type, with a precision of three digits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Buckets {
    /// Name of the transaction type.
    pub name: String,
    /// Number of transactions that took no longer than each bound in [`BUCKETS_US`].
    pub counts: Vec<u64>,
    /// Total number of transactions.
    pub count: u64,
    /// Sum of the latencies.
    pub sum_s: f64,
}
