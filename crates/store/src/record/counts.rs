//! Counts from the database, and the clients' own counts for comparison.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The workload's headline metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeadlineRecord {
    /// Metric name, such as `NOPM`.
    pub name: String,
    /// Value of the metric per minute of the time between the two counter readings.
    pub per_minute: f64,
    /// The same count divided by the planned number of minutes, as HammerDB computes it. Absent if the run has no
    /// planned length or ended early.
    #[serde(default)]
    pub per_nominal_minute: Option<f64>,
    /// The highest value that the sessions can reach, given all their keying and think times (`--pacing spec`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_per_minute: Option<f64>,
    /// `schema` if the database's counter was used, otherwise `client`.
    pub source: String,
    /// Growth of the database's counter over the measured phase.
    pub schema_count: Option<u64>,
    /// Time between the two readings of the database's counter.
    pub schema_elapsed_s: Option<f64>,
    /// Number of commits that the client saw in the measured phase.
    pub client_count: u64,
    /// Growth of the database's counter over the whole run, from before the first session started until after the last
    /// one ended.
    pub whole_run_schema_count: Option<u64>,
    /// Number of commits that the client saw over the whole run; equal to `whole_run_schema_count` unless commits were
    /// lost.
    pub whole_run_client_count: u64,
    /// Number of commits over the whole run whose outcome the client does not know.
    pub whole_run_unknown_count: u64,
    /// Number of commits that the client saw over the whole run but that count as failed, because the server returned a
    /// wrong result.
    #[serde(default)]
    pub whole_run_wrong_count: u64,
    /// True if the counts serve only to verify commits, and the throughput is stated in transactions per second.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proof_only: bool,
}

/// A counter in the database that the commits of one transaction type change. If the counter grew by less than `low`,
/// commits are missing; if it grew by more than `high`, another client has written to the database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitsRecord {
    /// Transaction name, such as `payment`.
    pub transaction: String,
    /// The column that is summed, such as `w_ytd`.
    pub counter: String,
    /// Number of decimal places. The following numbers are integers, scaled by this power of ten.
    pub digits: u8,
    /// Sum over the clients' confirmed commits.
    pub client: i64,
    /// Lowest possible growth, allowing for transactions whose outcome is unknown.
    pub low: i64,
    /// Highest possible growth, allowing for transactions whose outcome is unknown.
    pub high: i64,
    /// Growth of the counter in the database.
    pub schema: i64,
    /// True if a difference does not show which side is incomplete, either because a transaction may also decrease the
    /// counter, or because the database contains as many commits as the client counted, but different ones.
    #[serde(default)]
    pub signed: bool,
}

impl CommitsRecord {
    /// Returns true if the database contains the clients' commits.
    pub fn matches(&self) -> bool {
        (self.low..=self.high).contains(&self.schema)
    }
}

/// Transactions per minute, counting commits and intended rollbacks. Present only for workloads whose results are
/// customarily stated in this metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TpmRecord {
    /// Transactions per minute of the measured phase, or of the time between two readings of the server's counter.
    pub per_minute: f64,
    /// The same count divided by the planned number of minutes, as HammerDB computes it; see
    /// `headline.per_nominal_minute`.
    #[serde(default)]
    pub per_nominal_minute: Option<f64>,
    /// `client` if the client counted the transactions; `server` if the server's counters were used, as in runs of
    /// HammerDB scripts and of earlier versions. Numbers from different sources are not comparable.
    pub source: String,
    /// Commits and rollbacks per minute according to the server's counters, without those of Tacho's monitoring; used
    /// as a cross-check. Absent if `source` is `server`, or if the counts cannot be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_per_minute: Option<f64>,
    /// Ratio of TPM to the headline metric.
    pub ratio: Option<f64>,
    /// Ratio that the transaction mix implies.
    pub expected_ratio: Option<f64>,
}

/// Rollbacks over the whole run in the run's database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RollbacksRecord {
    /// Number of rollbacks that the server counted.
    pub server: u64,
    /// Number of rollbacks that the client knows of: intended rollbacks, and failed attempts, each of which may have
    /// been rolled back once.
    pub client: u64,
    /// Number of the server's rollbacks that the client does not know of. The client counts a call as a commit if the
    /// called routine catches an error.
    pub hidden: u64,
    /// Number of rollbacks by the server's own maintenance that may have been unreported when the run started. They do
    /// not count as hidden.
    #[serde(default)]
    pub maintenance: u64,
}
