//! Transactions that are recorded individually, such as the queries of a stream.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::QueryStats;

/// A transaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionRecord {
    /// Session number, from 0.
    pub session: u32,
    /// Transaction name, such as `q14`.
    pub transaction: String,
    /// Time at which the transaction was sent, relative to the start of the load.
    pub sent_s: f64,
    /// Time from sending the transaction to receiving its last row.
    pub took_s: f64,
    /// Number of rows returned; absent if rows are not counted or the transaction failed.
    pub rows: Option<u64>,
    /// Time from sending the transaction to its first row. Absent without rows, after an error, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_row_s: Option<f64>,
    /// Work that the database did for the transaction, computed from its counters before and after the transaction.
    /// Absent if the database does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<WorkRecord>,
    /// Error class, such as `timeout`; present only if the transaction failed.
    pub failed: Option<String>,
}

/// Work that the database did for one transaction. Values that the database does not report are
/// absent, never zero.
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
    /// Bytes of pages read into the database's cache, from disk or from the operating system's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<u64>,
    /// Bytes of pages found in the database's cache. A page counts each time it is accessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_bytes: Option<u64>,
    /// Rows read from tables, including temporary tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_rows: Option<u64>,
}

impl From<QueryStats> for WorkRecord {
    fn from(stats: QueryStats) -> Self {
        let QueryStats { temp_bytes, temp_files, temp_tables, read_bytes, cached_bytes, read_rows } =
            stats;
        Self { temp_bytes, temp_files, temp_tables, read_bytes, cached_bytes, read_rows }
    }
}

/// The execution plan of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueryPlanRecord {
    /// Query name, such as `q14`.
    pub transaction: String,
    /// 64-bit FNV-1a hash of the plan, as 16 hexadecimal digits. Plans with the same hash count as identical.
    pub hash: String,
    /// The plan without estimates and parameter values, with one step per line.
    pub plan: String,
}

/// A session that has ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamRecord {
    /// Session number, from 0.
    pub session: u32,
    /// Number of successful transactions.
    pub good: u64,
    /// Number of failed transactions.
    pub failed: u64,
    /// Time from the sending of the first transaction to the end of the last one.
    pub elapsed_s: f64,
    /// Geometric mean (t1 · … · tn)^(1/n) of the successful transactions' durations. Durations below a thousandth of
    /// the longest are raised to that value. Absent if no transaction succeeded.
    pub geometric_mean_s: Option<f64>,
    /// Geometric mean in which failed transactions count as ten times the longest duration. Absent if all failed or
    /// none failed, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalised_mean_s: Option<f64>,
}

/// Query streams that run alongside transactions. The queries are not included in the results of the transactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnalyticsRecord {
    /// Queries per hour that both started and succeeded in the measured phase, over all streams.
    pub queries_per_hour: f64,
    /// Number of queries that both started and succeeded in the measured phase.
    pub good: u64,
    /// Geometric mean (t1 · … · tn)^(1/n) of the durations of the queries that succeeded and were recorded. Durations
    /// below a thousandth of the longest are raised to that value. Absent if there were no such queries.
    pub geometric_mean_s: Option<f64>,
    /// Geometric mean in which failed queries count as ten times the longest duration. Absent if all failed or none
    /// failed, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalised_mean_s: Option<f64>,
    /// Number of successful queries that were recorded, of the first 100,000 queries of each stream.
    pub kept: u64,
    /// Number of failed queries.
    pub failed: u64,
    /// Number of queries that started in the measured phase but had not finished when it ended.
    pub unfinished: u64,
    /// Totals over the recorded queries of each stream.
    pub streams: Vec<StreamRecord>,
    /// All recorded queries, in order of completion.
    pub executions: Vec<ExecutionRecord>,
}
