//! Faults that were made during a run, and the outages that its clients saw.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::is_zero;

/// A fault that was made during the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FaultRecord {
    /// When it began, since the start of the load.
    pub at_s: f64,
    /// What it was, such as `kill pg`; of a command its program.
    pub what: String,
    /// How long it took.
    pub took_s: f64,
    /// Whether the sessions used a proxy of Tacho during the whole run, since this is a fault of the network.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proxied: bool,
    /// Why it could not be made; absent if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// An outage of the server, or of some of the connections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutageRecord {
    /// The first loss of a connection, since the start of the load.
    pub at_s: f64,
    /// Time from the last successful transaction of the session that lost its connection first to the loss.
    pub detected_after_s: f64,
    /// Connections lost.
    pub sessions_lost: u64,
    /// Failed attempts to reconnect.
    pub attempts_refused: u64,
    /// Connections that were not restored when the load ended.
    pub sessions_missing: u64,
    /// Time from the first loss to the first restored connection.
    pub connected_after_s: Option<f64>,
    /// Time from the first loss to the first successful transaction on a restored connection.
    pub first_commit_after_s: Option<f64>,
    /// Time from the first loss to the end of the first interval with 95 % of the throughput before.
    pub recovered_after_s: Option<f64>,
    /// How long the sessions were without a successful transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away: Option<AwayRecord>,
    /// Losses and reconnections for which there was no room: the counts are too low by them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub events_dropped: u64,
}

/// Times from the last successful transaction of a session before an outage to its first one after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AwayRecord {
    /// Sessions that had both.
    pub sessions: u64,
    /// The shortest.
    pub min_s: f64,
    /// The median.
    pub p50_s: f64,
    /// 95 % of the sessions were back within this time.
    pub p95_s: f64,
    /// The longest.
    pub max_s: f64,
}
