//! What a record holds of transactions that are kept by themselves, as the queries of streams are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::Work;

/// One transaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionRecord {
    /// Number of the session, from 0.
    pub session: u32,
    /// Name of its kind, such as `q14`.
    pub transaction: String,
    /// When it was sent, since the begin of the load.
    pub sent_s: f64,
    /// From sending it to the last of its rows.
    pub took_s: f64,
    /// Rows that came back; absent where nobody counts them, and of failed ones.
    pub rows: Option<u64>,
    /// From sending it to the first of its rows, as the client got it; absent without rows, of failed
    /// ones, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_row_s: Option<f64>,
    /// What the database did for it, asked right before and after it; absent where it does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<WorkRecord>,
    /// Class of the error, such as `timeout`, if it failed.
    pub failed: Option<String>,
}

/// What the database did for a transaction. What it does not tell is absent, and never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkRecord {
    /// Bytes written to temporary files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp_bytes: Option<u64>,
    /// Temporary files that were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp_files: Option<u64>,
    /// Temporary tables that were made on disk, or had to go there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp_tables: Option<u64>,
    /// Bytes of pages that were read into the database's cache, from disk or from the system's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<u64>,
    /// Bytes of pages that were found in the database's cache, each time that one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_bytes: Option<u64>,
    /// Rows that were read from tables, temporary ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_rows: Option<u64>,
}

impl From<Work> for WorkRecord {
    fn from(own: Work) -> Self {
        let Work { temp_bytes, temp_files, temp_tables, read_bytes, cached_bytes, read_rows } = own;
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
    /// The plan without estimates and without the values that were asked with, a line for each step.
    pub plan: String,
}

/// One session that has come to its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamRecord {
    /// Number of the session, from 0.
    pub session: u32,
    /// Transactions that ended well.
    pub good: u64,
    /// Failed ones.
    pub failed: u64,
    /// From the first sent to the last ended.
    pub elapsed_s: f64,
    /// (t1 · … · tn)^(1/n) over the times of the n good ones, each of which counts as a thousandth of the
    /// longest at least; failed ones are not in it. Absent without a good one.
    pub geometric_mean_s: Option<f64>,
    /// The same over all, where each failed one counts as ten times the longest of all. Absent if none
    /// failed, without a good one, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalised_mean_s: Option<f64>,
}

/// Streams of queries beside the transactions. None of them is in a figure of the transactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnalyticsRecord {
    /// Queries of all streams that began and ended well in the measured phase, per hour of it.
    pub queries_per_hour: f64,
    /// How many these queries are.
    pub good: u64,
    /// (t1 · … · tn)^(1/n) over the times of those that are kept, each of which counts as a thousandth of
    /// the longest at least. Absent without one.
    pub geometric_mean_s: Option<f64>,
    /// The same over all that are kept, where each failed one counts as ten times the longest of all.
    /// Absent if none failed, without a good one, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalised_mean_s: Option<f64>,
    /// How many of the good ones are kept: of each stream the first 100,000, failed ones included.
    pub kept: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that began in the measured phase and had not ended with it.
    pub unfinished: u64,
    /// Each stream, over the queries that are kept.
    pub streams: Vec<StreamRecord>,
    /// Each query that is kept, in the order of their ends.
    pub executions: Vec<ExecutionRecord>,
}
