//! What the database counted, next to what the clients counted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The workload's own figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeadlineRecord {
    /// Name, such as `NOPM`.
    pub name: String,
    /// The figure, per minute of the time between the two readings.
    pub per_minute: f64,
    /// The same count divided by the planned minutes, as in HammerDB; absent without a planned
    /// length or if the run ended before it.
    #[serde(default)]
    pub per_nominal_minute: Option<f64>,
    /// What the sessions can reach at most with all their keying and think times (`--pacing spec`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_per_minute: Option<f64>,
    /// `schema` if counted in the database, else `client`.
    pub source: String,
    /// Growth of the counter in the database over the measured phase.
    pub schema_count: Option<u64>,
    /// Time between the two readings of that counter.
    pub schema_elapsed_s: Option<f64>,
    /// Commits that the client saw in the measured phase.
    pub client_count: u64,
    /// Growth of the counter over the whole run, from before the first to after the last session.
    pub whole_run_schema_count: Option<u64>,
    /// Commits that the client saw over the whole run; equal to the above unless commits were lost.
    pub whole_run_client_count: u64,
    /// Commits over the whole run with an outcome unknown to the client.
    pub whole_run_unknown_count: u64,
    /// Commits that the client saw over the whole run and that count as failed, because a reply was
    /// wrong.
    #[serde(default)]
    pub whole_run_wrong_count: u64,
    /// True if the counts only prove commits, and the throughput is stated in transactions per second.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proof_only: bool,
}

/// One counter in the database that the commits of one transaction type change. If it grew
/// by less than `low`, commits are missing; if by more than `high`, another client has written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitsRecord {
    /// The transaction, such as `payment`.
    pub transaction: String,
    /// The summed column, such as `w_ytd`.
    pub counter: String,
    /// Number of decimal digits; the following numbers are scaled by it.
    pub digits: u8,
    /// Sum of the confirmed commits of the clients.
    pub client: i64,
    /// Lowest possible growth, including transactions of unknown outcome.
    pub low: i64,
    /// Highest possible growth.
    pub high: i64,
    /// Growth in the database.
    pub schema: i64,
    /// Whether a difference does not show which side is incomplete: a transaction may also decrease
    /// the counter, or the database holds as many commits as the client counted, and other ones.
    #[serde(default)]
    pub signed: bool,
}

impl CommitsRecord {
    /// Whether the database holds what the clients have committed.
    pub fn matches(&self) -> bool {
        (self.low..=self.high).contains(&self.schema)
    }
}

/// Transactions per minute: commits and intended rollbacks. Only for workloads whose users state them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TpmRecord {
    /// The figure, per minute of the measured phase, or of the time between two readings of the server's counter.
    pub per_minute: f64,
    /// The same count divided by the planned minutes; see the headline.
    #[serde(default)]
    pub per_nominal_minute: Option<f64>,
    /// `client` if the client counted; `server` if from the server's counters, as in runs of HammerDB scripts and of
    /// earlier versions. Numbers of different sources are not comparable.
    pub source: String,
    /// Commits and rollbacks per minute by the server's counters without those of Tacho's monitoring, for the
    /// cross-check; absent if `source` is `server` or the counts cannot be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_per_minute: Option<f64>,
    /// Ratio to the headline figure.
    pub ratio: Option<f64>,
    /// Ratio that follows from the mix.
    pub expected_ratio: Option<f64>,
}

/// Rollbacks over the whole run in the database of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RollbacksRecord {
    /// Count of the server.
    pub server: u64,
    /// Rollbacks known to the client: intended rollbacks and failed attempts, each of which may
    /// have been rolled back once.
    pub client: u64,
    /// Rollbacks of the server that the client does not know of. The client counts the calls of
    /// routines that catch an error as commits.
    pub hidden: u64,
    /// Rollbacks of the server's own maintenance that may have been unreported when the run
    /// started; not hidden.
    #[serde(default)]
    pub maintenance: u64,
}
