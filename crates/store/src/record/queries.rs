//! What a record holds of transactions that are kept by themselves, as the queries of streams are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::QueryStats;

/// One transaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionRecord {
    /// Number of the session, from 0.
    pub session: u32,
    /// Name of the transaction, such as `q14`.
    pub transaction: String,
    /// Time at which it was sent, since the start of the load.
    pub sent_s: f64,
    /// Time from sending it to its last row.
    pub took_s: f64,
    /// Number of rows returned; absent if they are not counted, and for failed ones.
    pub rows: Option<u64>,
    /// Time from sending it to the arrival of its first row; absent without rows, for failed ones,
    /// and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_row_s: Option<f64>,
    /// Work of the database for it, read before and after it; absent if the database does not
    /// report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<WorkRecord>,
    /// Class of the error, such as `timeout`, if it failed.
    pub failed: Option<String>,
}

/// Work of the database for a transaction. A value that the database does not report is absent,
/// never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkRecord {
    /// Bytes written to temporary files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp_bytes: Option<u64>,
    /// Number of temporary files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp_files: Option<u64>,
    /// Number of temporary tables on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp_tables: Option<u64>,
    /// Bytes of pages read into the database's cache, from disk or from the operating system's
    /// cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<u64>,
    /// Bytes of pages found in the database's cache, counted at each access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_bytes: Option<u64>,
    /// Rows read from tables, including temporary tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_rows: Option<u64>,
}

impl From<QueryStats> for WorkRecord {
    fn from(own: QueryStats) -> Self {
        let QueryStats { temp_bytes, temp_files, temp_tables, read_bytes, cached_bytes, read_rows } =
            own;
        Self { temp_bytes, temp_files, temp_tables, read_bytes, cached_bytes, read_rows }
    }
}

/// The plan of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueryPlanRecord {
    /// Name of the query, such as `q14`.
    pub transaction: String,
    /// Hash of the plan, 16 hexadecimal digits: FNV-1a with 64 bits. Plans with the same hash are the
    /// same.
    pub hash: String,
    /// The plan without estimates and parameter values, a line for each step.
    pub plan: String,
}

/// One session that has ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamRecord {
    /// Number of the session, from 0.
    pub session: u32,
    /// Number of successful transactions.
    pub good: u64,
    /// Number of failed transactions.
    pub failed: u64,
    /// Time from sending the first to the end of the last.
    pub elapsed_s: f64,
    /// (t1 · … · tn)^(1/n) over the times of the n successful ones, each of which counts as at
    /// least a thousandth of the longest; failed ones are excluded. Absent without a successful
    /// one.
    pub geometric_mean_s: Option<f64>,
    /// The same over all, where each failed one counts as ten times the longest of all. Absent if
    /// none failed, without a successful one, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalised_mean_s: Option<f64>,
}

/// Streams of queries that run with transactions. They are not included in the figures of the
/// transactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnalyticsRecord {
    /// Queries of all streams that started and succeeded in the measured phase, per hour.
    pub queries_per_hour: f64,
    /// Number of these queries.
    pub good: u64,
    /// (t1 · … · tn)^(1/n) over the times of the recorded ones, each of which counts as at least a
    /// thousandth of the longest. Absent without one.
    pub geometric_mean_s: Option<f64>,
    /// The same over all recorded ones, where each failed one counts as ten times the longest of
    /// all. Absent if none failed, without a successful one, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalised_mean_s: Option<f64>,
    /// Number of successful ones that are recorded: of each stream the first 100,000, including
    /// failed ones.
    pub kept: u64,
    /// Number of failed queries.
    pub failed: u64,
    /// Queries that started in the measured phase and had not ended when it ended.
    pub unfinished: u64,
    /// Each stream, over the recorded queries.
    pub streams: Vec<StreamRecord>,
    /// Each recorded query, in the order in which they ended.
    pub executions: Vec<ExecutionRecord>,
}
