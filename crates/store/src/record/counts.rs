//! The counts from the database, along with the clients' counts for comparison.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The workload's headline metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeadlineRecord {
    /// Metric name, such as `NOPM`.
    pub name: String,
    /// Value of the metric per minute, based on the time between the two counter readings.
    pub per_minute: f64,
    /// Increase in the metric per planned minute, as HammerDB computes it. Absent if the run had no
    /// planned length or ended early.
    #[serde(default)]
    pub per_nominal_minute: Option<f64>,
    /// The highest value that the sessions can reach with the specified keying and think times (`--pacing spec`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_per_minute: Option<f64>,
    /// `schema` if the database's counter was used, otherwise `client`.
    pub source: String,
    /// Increase in the database's counter over the measured phase.
    pub schema_count: Option<u64>,
    /// Time between the two readings of the database's counter.
    pub schema_elapsed_s: Option<f64>,
    /// Number of commits that the client observed in the measured phase.
    pub client_count: u64,
    /// Increase in the database's counter from before the first session started until after the last one ended.
    pub whole_run_schema_count: Option<u64>,
    /// Number of commits that the client observed over the whole run. Unless commits were lost, it
    /// equals `whole_run_schema_count`.
    pub whole_run_client_count: u64,
    /// Number of commits over the whole run whose outcome is unknown to the client.
    pub whole_run_unknown_count: u64,
    /// Number of commits that the client counted as failed because the server returned an incorrect result.
    #[serde(default)]
    pub whole_run_wrong_count: u64,
    /// True if the counts are used only to verify commits, because throughput is given in transactions per second.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proof_only: bool,
}

/// A counter in the database that verifies the commits of one transaction type. If it increases by less than `low`,
/// commits are missing. If it increases by more than `high`, other clients also wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitsRecord {
    /// Transaction name, such as `payment`.
    pub transaction: String,
    /// The column whose values are added up, such as `w_ytd`.
    pub counter: String,
    /// Number of decimal places. The values below are integers: the actual values multiplied by 10 to the power of this
    /// number.
    pub digits: u8,
    /// Sum over the commits that the clients confirmed.
    pub client: i64,
    /// Smallest possible increase, allowing for transactions whose outcome is unknown.
    pub low: i64,
    /// Largest possible increase, allowing for transactions whose outcome is unknown.
    pub high: i64,
    /// Increase in the database's counter.
    pub schema: i64,
    /// True if a difference between the counts has two possible causes: either the database lost commits, or the client
    /// did not count some.
    #[serde(default)]
    pub signed: bool,
}

impl CommitsRecord {
    /// Returns true if the database contains all of the clients' commits.
    pub fn matches(&self) -> bool {
        (self.low..=self.high).contains(&self.schema)
    }
}

/// Transactions per minute, including intended rollbacks. They are reported only for workloads that usually have this
/// metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TpmRecord {
    /// Transactions per minute over the measured phase, or between two readings of the server's counter.
    pub per_minute: f64,
    /// Number of transactions per planned minute, as HammerDB computes it; see `headline.per_nominal_minute`.
    #[serde(default)]
    pub per_nominal_minute: Option<f64>,
    /// `client` or `server`, depending on which of the two counted the transactions. Counts from
    /// different sources are not comparable.
    pub source: String,
    /// Commits and rollbacks per minute by the server's counters. Absent if `source` is `server`, or if the counts are
    /// not comparable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_per_minute: Option<f64>,
    /// Ratio of TPM to the headline metric.
    pub ratio: Option<f64>,
    /// Ratio implied by the transaction mix.
    pub expected_ratio: Option<f64>,
}

/// Rollbacks in the run's database over the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RollbacksRecord {
    /// Number of rollbacks that the server counted.
    pub server: u64,
    /// Number of rollbacks that the client knows of: intended ones, plus one for each failed attempt.
    pub client: u64,
    /// Number of rollbacks on the server that the client does not notice, for example if a routine caught an error.
    pub hidden: u64,
    /// Number of rollbacks by server maintenance that may have happened before the run. They are not included in
    /// `hidden`.
    #[serde(default)]
    pub maintenance: u64,
}
