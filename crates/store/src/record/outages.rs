//! Faults that were injected during a run, and the outages that its clients saw.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::is_zero;

/// A fault that was injected during the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FaultRecord {
    /// Start of the fault, since the start of the load.
    pub at_s: f64,
    /// Description of the fault, such as `kill pg`; for a command, the name of its program.
    pub what: String,
    /// Duration of the injection.
    pub took_s: f64,
    /// True if the fault affects the network, in which case the sessions used a Tacho proxy during the whole run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proxied: bool,
    /// The reason why the fault could not be injected; absent if it was injected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Time from the start of the fault to the start of the first of three successive intervals whose 99th percentile is
    /// at most twice the median before the fault; absent if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_normal_after_s: Option<f64>,
}

/// An outage of the server, or of some of its connections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutageRecord {
    /// The first loss of a connection, since the start of the load.
    pub at_s: f64,
    /// Time between the last successful transaction of the session that lost its connection first and the loss.
    pub detected_after_s: f64,
    /// Number of lost connections.
    pub sessions_lost: u64,
    /// Number of failed attempts to reconnect.
    pub attempts_refused: u64,
    /// Number of connections that had not been restored when the load ended.
    pub sessions_missing: u64,
    /// Time from the first loss to the first restored connection.
    pub connected_after_s: Option<f64>,
    /// Time from the first loss to the first successful transaction on a restored connection.
    pub first_commit_after_s: Option<f64>,
    /// Time from the first loss to the end of the first interval whose throughput reached 95 % of the throughput before
    /// the outage.
    pub recovered_after_s: Option<f64>,
    /// Time from the first loss until latency was normal, as for a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_normal_after_s: Option<f64>,
    /// Times for which sessions had no successful transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away: Option<AwayRecord>,
    /// Number of losses and reconnections that could not be recorded for lack of space. The other counts are too low by
    /// this number.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub events_dropped: u64,
}

/// For each session, the time from its last successful transaction before an outage to its first one afterwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AwayRecord {
    /// Number of sessions that had a successful transaction both before and after the outage.
    pub sessions: u64,
    /// Minimum.
    pub min_s: f64,
    /// Median.
    pub p50_s: f64,
    /// Time within which 95 % of the sessions had recovered.
    pub p95_s: f64,
    /// Maximum.
    pub max_s: f64,
}
