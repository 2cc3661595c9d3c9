//! Parts of events: the progress of builds, checks, sweeps and streams, and the load of machines.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_config::seconds;

/// Time before which a rate says nothing about the rest.
const SETTLED: Duration = Duration::from_millis(500);

/// Progress of a build.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BuildState {
    /// Rows loaded in this session of building; a resumed build begins at 0.
    pub rows: u64,
    /// Rows per second so far.
    pub rows_per_s: f64,
    /// Time since the start.
    #[serde(rename = "elapsed_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub elapsed: Duration,
    /// Time for the remaining rows at the rate so far; absent before anything is known.
    #[serde(default, rename = "remaining_s", with = "seconds::optional")]
    #[schemars(with = "Option<f64>")]
    pub remaining: Option<Duration>,
    /// One entry for each table.
    pub tables: Vec<TableState>,
}

/// Progress of a table's build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableState {
    /// Name.
    pub name: String,
    /// Rows loaded in this session of building.
    pub rows: u64,
    /// Rows to load in this session of building.
    pub expected: u64,
}

impl BuildState {
    /// Returns the progress of a build with these tables.
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

    /// Returns the number of rows that are loaded and those that remain.
    pub fn all_rows(&self) -> u64 {
        let left = |table: &TableState| table.expected.saturating_sub(table.rows);
        self.rows + self.tables.iter().map(left).sum::<u64>()
    }
}

/// Work of a loader. The data is loaded in parts, by their numbers in the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoaderState {
    /// It has started, with the first and the last part of its share; none if nothing is left for it. A loader that
    /// has finished its share takes parts from others.
    Share(Option<(u64, u64)>),
    /// It begins a part.
    Begins(u64),
    /// It has loaded a part.
    Loaded(u64),
    /// It has ended.
    Over,
}

/// Progress of the checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckState {
    /// Questions that the database has answered.
    pub done: usize,
    /// Questions in all.
    pub count: usize,
    /// Time since the start.
    #[serde(rename = "elapsed_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub elapsed: Duration,
    /// Time for the remaining questions at the rate so far; absent before anything is known.
    #[serde(default, rename = "remaining_s", with = "seconds::optional")]
    #[schemars(with = "Option<f64>")]
    pub remaining: Option<Duration>,
}

impl CheckState {
    /// Returns the state after this number of answers.
    pub fn of(done: usize, count: usize, elapsed: Duration) -> Self {
        let settled = done > 0 && elapsed > SETTLED;
        let left = count.saturating_sub(done) as f64;
        let remaining = settled.then(|| elapsed.mul_f64(left / done as f64));
        Self { done, count, elapsed, remaining }
    }
}

/// A point of a sweep that begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PointState {
    /// Its number, from 1.
    pub number: usize,
    /// Number of points; a search can add more.
    pub count: usize,
    /// Its values, such as `sessions=8`.
    pub values: String,
    /// Estimated time for the rest of the sweep.
    #[serde(default, rename = "remaining_s", with = "seconds::optional")]
    #[schemars(with = "Option<f64>")]
    pub remaining: Option<Duration>,
}

/// Progress of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamState {
    /// Number of the session, from 1.
    pub session: u32,
    /// The running transaction; absent between two, and at the end.
    pub transaction: Option<String>,
    /// Its start, since the start of the load.
    #[serde(default, rename = "since_s", with = "seconds::optional")]
    #[schemars(with = "Option<f64>")]
    pub since: Option<Duration>,
    /// Transactions that have ended.
    pub done: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// Transactions still to do; absent if the stream does not know.
    pub left: Option<u64>,
    /// Time for the rest at the mean so far; absent until the stream has repeated a transaction.
    #[serde(default, rename = "remaining_s", with = "seconds::optional")]
    #[schemars(with = "Option<f64>")]
    pub remaining: Option<Duration>,
    /// Transactions that have ended since the event before.
    pub ended: Vec<EndedQuery>,
}

impl StreamState {
    /// Returns the running transaction and its start, since the start of the load.
    pub fn now(&self) -> Option<(&str, Duration)> {
        self.transaction.as_deref().zip(self.since)
    }
}

/// A transaction of a stream that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndedQuery {
    /// Its name.
    pub transaction: String,
    /// Its duration.
    #[serde(rename = "took_s", with = "seconds")]
    #[schemars(with = "f64")]
    pub took: Duration,
    /// Rows that it returned; absent if unknown.
    pub rows: Option<u64>,
    /// Class of its error, if it failed.
    pub failed: Option<String>,
}

/// Load of a machine in an interval. Rates are means over it, levels are those at its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostState {
    /// `client` for Tacho's machine, the agent's address for another one.
    pub source: String,
    /// Processors.
    pub cores: u32,
    /// Processors in use, by all programs.
    pub busy_cores: f64,
    /// Processors used by Tacho; absent for another machine.
    pub tacho_cores: Option<f64>,
    /// Processors used by other programs on Tacho's machine, such as a database server; absent for another machine.
    pub other_cores: Option<f64>,
    /// Physical memory.
    pub memory_bytes: u64,
    /// Memory that programs could have without swapping.
    pub available_bytes: u64,
    /// Bytes that all disks read, per second.
    pub read_bytes_per_s: f64,
    /// Bytes that all disks wrote, per second.
    pub written_bytes_per_s: f64,
    /// Reads and writes of all disks, per second.
    pub disk_transfers_per_s: f64,
    /// Bytes received over all networks but the loopback, per second.
    pub received_bytes_per_s: f64,
    /// Bytes sent over all networks but the loopback, per second.
    pub sent_bytes_per_s: f64,
}

/// Kinds of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// A fault begins.
    FaultBegins,
    /// A fault ends.
    FaultEnds,
    /// A step of a load that changes begins.
    StepBegins,
    /// The server has completed checkpoints.
    Checkpoint,
    /// The first session has lost its connection.
    OutageBegins,
    /// All sessions that had lost their connections are connected again.
    OutageEnds,
    /// A kind that this version does not know.
    #[serde(other)]
    Other,
}
