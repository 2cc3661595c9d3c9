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
    /// The same count by the planned minutes, as HammerDB does it; absent without a planned length
    /// or if the run ended before it.
    #[serde(default)]
    pub per_nominal_minute: Option<f64>,
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
    /// Commits over the whole run whose outcome the client does not know.
    pub whole_run_unknown_count: u64,
    /// Commits among those that the client saw over the whole run which count as failed: a reply was found
    /// wrong after the commit was confirmed.
    #[serde(default)]
    pub whole_run_wrong_count: u64,
}

/// One counter in the database that the commits of one kind of transaction move. It proves them: if it grew
/// by less than `low`, commits are missing; if by more than `high`, another client has written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitsRecord {
    /// The transaction, such as `payment`.
    pub transaction: String,
    /// What is summed up, such as `w_ytd`.
    pub counter: String,
    /// Digits after the decimal point, which the numbers below are without.
    pub digits: u8,
    /// What the clients have added to it, by commits that were confirmed.
    pub client: i64,
    /// The least by which it may have grown, with transactions of unknown outcome.
    pub low: i64,
    /// The most by which it may have grown.
    pub high: i64,
    /// By how much it has grown.
    pub schema: i64,
    /// Whether a transaction may also make it smaller: a difference then does not say which side lacks
    /// something.
    #[serde(default)]
    pub signed: bool,
}

impl CommitsRecord {
    /// Whether the database holds what the clients have committed.
    pub fn matches(&self) -> bool {
        (self.low..=self.high).contains(&self.schema)
    }
}

/// Transactions per minute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TpmRecord {
    /// The figure, per minute of the time between the two readings.
    pub per_minute: f64,
    /// The same count by the planned minutes; see the headline.
    #[serde(default)]
    pub per_nominal_minute: Option<f64>,
    /// `server` if from the server's own counters, else `client`.
    pub source: String,
    /// Ratio to the headline figure.
    pub ratio: Option<f64>,
    /// Ratio that the mix promises.
    pub expected_ratio: Option<f64>,
}

/// Rollbacks over the whole run in the database of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RollbacksRecord {
    /// By the server's own count.
    pub server: u64,
    /// Those that the client knows of: intended ones and failed attempts, of which each may have
    /// been rolled back once.
    pub client: u64,
    /// Those of the server that the client knows nothing of. Routines that swallow an error count as
    /// commits for the client.
    pub hidden: u64,
    /// Those that the server's own maintenance may have left to report before the run began; not hidden.
    #[serde(default)]
    pub maintenance: u64,
}
