//! Event types for the progress of builds, checks, sweeps and streams, and for the load on machines.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_config::seconds;

/// Minimum time that must have passed before the remaining time is estimated.
const SETTLED: Duration = Duration::from_millis(500);

/// Progress of a build.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BuildState {
    /// Number of rows loaded by this build; a resumed build starts again at 0.
    pub rows: u64,
    /// Mean number of rows per second so far.
    pub rows_per_s: f64,
    /// Time since the start of the build.
    #[serde(rename = "elapsed_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub elapsed: Duration,
    /// Estimated time until all rows are loaded, based on the average rate so far. Absent until
    /// there is enough data.
    #[serde(default, rename = "remaining_s", with = "seconds::optional")]
    #[schemars(with = "Option<f64>")]
    pub remaining: Option<Duration>,
    /// One entry for each table.
    pub tables: Vec<TableState>,
}

/// Progress of loading a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableState {
    /// Table name.
    pub name: String,
    /// Number of rows loaded by this build.
    pub rows: u64,
    /// Number of rows that this build needs to load.
    pub expected: u64,
}

impl BuildState {
    /// Returns the progress of a build that consists of these tables.
    pub fn of(tables: Vec<TableState>, elapsed: Duration) -> Self {
        let rows: u64 = tables.iter().map(|table| table.rows).sum();
        let rows_per_s = rows as f64 / elapsed.as_secs_f64().max(1e-3);
        let mut state = Self { rows, rows_per_s, elapsed, remaining: None, tables };
        if rows > 0 && elapsed > SETTLED {
            let left = (state.all_rows() - rows) as f64;
            state.remaining = Some(Duration::from_secs_f64((left / rows_per_s).min(1e7)));
        }
        state
    }

    /// Returns the total number of rows, including those still to be loaded.
    pub fn all_rows(&self) -> u64 {
        let left = |table: &TableState| table.expected.saturating_sub(table.rows);
        self.rows + self.tables.iter().map(left).sum::<u64>()
    }
}

/// The activity of a worker that loads data. The data of a workload is loaded in numbered parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoaderState {
    /// The worker has started and will load the parts from the first to the second number. A worker without numbers
    /// only takes over parts that other workers have not loaded yet.
    Share(Option<(u64, u64)>),
    /// The loader starts a part.
    Begins(u64),
    /// The loader has loaded a part.
    Loaded(u64),
    /// The loader has ended.
    Over,
}

/// Progress of the checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckState {
    /// Number of check queries that have been completed.
    pub done: usize,
    /// Total number of check queries.
    pub count: usize,
    /// Time since the checks started.
    #[serde(rename = "elapsed_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub elapsed: Duration,
    /// Estimated time until all queries are completed, based on the average rate so far. Absent
    /// until there is enough data.
    #[serde(default, rename = "remaining_s", with = "seconds::optional")]
    #[schemars(with = "Option<f64>")]
    pub remaining: Option<Duration>,
}

impl CheckState {
    /// Returns the state after this number of completed queries.
    pub fn of(done: usize, count: usize, elapsed: Duration) -> Self {
        let settled = done > 0 && elapsed > SETTLED;
        let left = count.saturating_sub(done) as f64;
        let remaining = settled.then(|| elapsed.mul_f64(left / done as f64));
        Self { done, count, elapsed, remaining }
    }
}

/// A point of a sweep that is about to be measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PointState {
    /// Number of the point, from 1.
    pub number: usize,
    /// Total number of points; a search may add more.
    pub count: usize,
    /// The values that define the point, such as `sessions=8`.
    pub values: String,
    /// Estimated time until the sweep is complete.
    #[serde(default, rename = "remaining_s", with = "seconds::optional")]
    #[schemars(with = "Option<f64>")]
    pub remaining: Option<Duration>,
}

/// Progress of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamState {
    /// Session number, from 1.
    pub session: u32,
    /// Name of the running transaction; absent between transactions and after the stream has ended.
    pub transaction: Option<String>,
    /// Start of the running transaction, relative to the start of the load.
    #[serde(default, rename = "since_s", with = "seconds::optional")]
    #[schemars(with = "Option<f64>")]
    pub since: Option<Duration>,
    /// Number of transactions that have completed.
    pub done: u64,
    /// Number of transactions that have failed.
    pub failed: u64,
    /// Number of transactions that have not started yet; absent if unknown.
    pub left: Option<u64>,
    /// Estimated time until the stream ends; absent until the stream has repeated a transaction.
    #[serde(default, rename = "remaining_s", with = "seconds::optional")]
    #[schemars(with = "Option<f64>")]
    pub remaining: Option<Duration>,
    /// Transactions that completed since the previous event.
    pub ended: Vec<EndedQuery>,
}

impl StreamState {
    /// Returns the running transaction and its start, relative to the start of the load.
    pub fn now(&self) -> Option<(&str, Duration)> {
        self.transaction.as_deref().zip(self.since)
    }
}

/// A completed stream transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndedQuery {
    /// Name of the transaction.
    pub transaction: String,
    /// Duration of the transaction.
    #[serde(rename = "took_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub took: Duration,
    /// Number of rows returned; absent if unknown.
    pub rows: Option<u64>,
    /// Error class; present only if the transaction failed.
    pub failed: Option<String>,
}

/// The load on a machine in an interval. Rates are averages over the interval, and amounts such as available memory are
/// measured at its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostState {
    /// `client` for Tacho's machine, otherwise the agent's address.
    pub source: String,
    /// Number of processors.
    pub cores: u32,
    /// Number of processors in use by all programs.
    pub busy_cores: f64,
    /// Number of processors used by Tacho; absent for other machines.
    pub tacho_cores: Option<f64>,
    /// Number of processors that the private server's processes used; absent for other servers and machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cores: Option<f64>,
    /// Number of processors used by programs other than Tacho and the private server. Absent for other machines.
    pub other_cores: Option<f64>,
    /// Physical memory.
    pub memory_bytes: u64,
    /// Memory that is available to programs without swapping.
    pub available_bytes: u64,
    /// Bytes per second read from all disks.
    pub read_bytes_per_s: f64,
    /// Bytes per second written to all disks.
    pub written_bytes_per_s: f64,
    /// Reads and writes per second on all disks.
    pub disk_transfers_per_s: f64,
    /// Bytes per second received over all network interfaces except the loopback interface.
    pub received_bytes_per_s: f64,
    /// Bytes per second sent over all network interfaces except the loopback interface.
    pub sent_bytes_per_s: f64,
}

/// The kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// A fault starts.
    FaultBegins,
    /// A fault ends.
    FaultEnds,
    /// A new step of a varying load has started.
    StepBegins,
    /// The server has completed checkpoints.
    Checkpoint,
    /// The first session lost its connection.
    OutageBegins,
    /// All sessions that lost their connections have reconnected.
    OutageEnds,
    /// An occurrence that this version does not recognize.
    #[serde(other)]
    Other,
}
