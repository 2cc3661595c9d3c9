//! Faults injected during a run, and the outages observed by its clients.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Estimate, SteadinessRecord, is_zero};

/// A fault that was injected during the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FaultRecord {
    /// Time at which the fault started, relative to the start of the load.
    pub at_s: f64,
    /// Description of the fault, such as `kill pg`; for a command, the program name.
    pub what: String,
    /// Duration of the injection.
    pub took_s: f64,
    /// True if the fault affects the network. The sessions then used a Tacho proxy for the entire run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proxied: bool,
    /// The reason why the fault could not be injected; absent if it was injected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Time from the start of the fault until latency was normal for three intervals. Normal means
    /// a 99th percentile of at most twice the earlier median. Absent if latency never returned to
    /// normal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_normal_after_s: Option<f64>,
}

/// The parts of the measured phase without injected faults. A fault ends when latency is back to normal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UndisturbedRecord {
    /// Total length of the undisturbed intervals.
    pub length_s: f64,
    /// Transactions per second in the undisturbed intervals.
    pub throughput_per_s: f64,
    /// 95 % confidence interval of the throughput in the undisturbed intervals.
    pub interval_95: Option<Estimate>,
    /// The steadiness of this throughput.
    #[serde(default, skip_serializing_if = "SteadinessRecord::is_unknown")]
    pub steadiness: SteadinessRecord,
}

/// An outage of the server or of some of its connections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutageRecord {
    /// Time at which the first connection was lost, relative to the start of the load.
    pub at_s: f64,
    /// Time from the last successful transaction to the loss of the connection, in the session that lost its connection
    /// first.
    pub detected_after_s: f64,
    /// Number of lost connections.
    pub sessions_lost: u64,
    /// Number of failed attempts to reconnect.
    pub attempts_refused: u64,
    /// Number of connections that were still lost when the load ended.
    pub sessions_missing: u64,
    /// Time from the loss of the first connection until any connection was restored.
    pub connected_after_s: Option<f64>,
    /// Time from the loss of the first connection until a transaction succeeded on a restored
    /// connection.
    pub first_commit_after_s: Option<f64>,
    /// Time from the first lost connection to the end of the first interval with 95 % of the earlier throughput.
    pub recovered_after_s: Option<f64>,
    /// Time from the first lost connection until latency was back to normal, as defined for a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_normal_after_s: Option<f64>,
    /// Times during which sessions had no successful transactions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away: Option<AwayRecord>,
    /// Number of connection losses and reconnections that were not recorded for lack of space.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub events_dropped: u64,
}

/// Time from a session's last successful transaction before an outage to its first successful one
/// afterwards, as a distribution over the sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AwayRecord {
    /// Number of sessions with successful transactions both before and after the outage.
    pub sessions: u64,
    /// Minimum.
    pub min_s: f64,
    /// Median.
    pub p50_s: f64,
    /// Time by which 95 % of the sessions had recovered.
    pub p95_s: f64,
    /// Maximum.
    pub max_s: f64,
}
