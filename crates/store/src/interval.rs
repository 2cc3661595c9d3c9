//! A reporting interval of a run, stored as a line of `intervals.jsonl.zst` and printed by `--progress json`.
//!
//! Start reading at [`IntervalRecord`].

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::ErrorKind;
use tacho_metrics::{Latencies, Outcomes, QUANTILES, Quantile, Series};

/// The results of one interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalRecord {
    /// End of the interval, relative to the start of the run.
    pub at_s: f64,
    /// Length of the interval. The last interval of a phase may be shorter.
    pub length_s: f64,
    /// Phase: `ramp-up`, `measure` or `ramp-down`.
    pub phase: String,
    /// Number of virtual users that were running at the end of the interval.
    pub sessions: u32,
    /// Planned number of virtual users.
    pub sessions_planned: u32,
    /// Number of neighbouring intervals that were merged into this one; absent if none were. Each
    /// percentile of a merged interval is the highest among its parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<u32>,
    /// Step number of a varying load, starting at 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Transactions per second that completed in the interval, by commit or intended rollback.
    pub throughput_per_s: f64,
    /// The workload's headline metric, such as NOPM, as counted by the client.
    pub headline_per_minute: Option<f64>,
    /// Successful stream queries per hour; absent if there are no streams.
    #[serde(default)]
    pub queries_per_hour: Option<f64>,
    /// One entry for each transaction type.
    pub transactions: Vec<IntervalTransaction>,
    /// Totals over all transaction types, under the name `all`.
    pub totals: IntervalTransaction,
    /// Number of arrivals skipped in the interval because they had waited too long.
    pub skipped: u64,
    /// Number of arrivals that were waiting for a free session when the interval ended; absent in closed runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<u64>,
    /// Longest wait for a free session among the arrivals that started in the interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_wait_max_us: Option<f64>,
    /// 99th percentile of the lateness of Tacho's timers; absent if too few transactions were scheduled.
    pub late_p99_us: Option<f64>,
    /// Maximum lateness of Tacho's timers; absent if no transaction was scheduled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_max_us: Option<f64>,
    /// Longest pause of Tacho's process; absent if there was none, or if the run used virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_stopped_us: Option<f64>,
}

/// The server's activity in one interval, stored as a line of `server.jsonl.zst`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerIntervalRecord {
    /// End of the interval, relative to the start of the run.
    pub at_s: f64,
    /// Phase: `ramp-up`, `measure` or `ramp-down`.
    pub phase: String,
    /// Server activity in the interval.
    pub load: crate::record::ServerLoadRecord,
}

/// Results of one transaction type in an interval. Percentiles are absent if there are too few samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalTransaction {
    /// Transaction name, such as `new_order`.
    pub name: String,
    /// Transactions that committed.
    pub committed: u64,
    /// Transactions that were rolled back as intended.
    pub rolled_back: u64,
    /// Transactions that failed.
    pub failed: u64,
    /// Failed transactions by error class, such as `deadlock`. Only classes that occurred are listed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed_by_kind: BTreeMap<String, u64>,
    /// Median latency.
    pub p50_us: Option<f64>,
    /// 95th percentile of the latency.
    pub p95_us: Option<f64>,
    /// 99th percentile of the latency.
    pub p99_us: Option<f64>,
    /// Maximum latency; absent if no transaction completed.
    pub max_us: Option<f64>,
}

impl IntervalTransaction {
    /// Creates the results from a latency series.
    pub fn of(name: &str, series: &Series) -> Self {
        let [p50, _, p95, p99, _] = QUANTILES;
        let latency = &series.latency;
        Self {
            name: name.into(),
            committed: series.ended.committed,
            rolled_back: series.ended.rolled_back,
            failed: series.ended.failures(),
            failed_by_kind: by_kind(&series.ended),
            p50_us: percentile_us(latency, p50),
            p95_us: percentile_us(latency, p95),
            p99_us: percentile_us(latency, p99),
            max_us: (latency.count() > 0).then(|| micros(latency.max())),
        }
    }

    /// Returns the number of commits and intended rollbacks.
    pub fn count(&self) -> u64 {
        self.committed + self.rolled_back
    }
}

fn by_kind(ended: &Outcomes) -> BTreeMap<String, u64> {
    let counts = ErrorKind::ALL.into_iter().zip(ended.failed);
    counts
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| (kind.name().into(), count))
        .collect()
}

/// Returns a percentile in microseconds, or `None` if there are too few samples.
pub(crate) fn percentile_us(latencies: &Latencies, quantile: Quantile) -> Option<f64> {
    latencies.at(quantile).map(micros)
}

/// Converts a duration to microseconds without losing nanosecond precision.
pub(crate) fn micros(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_reported_by_kind() {
        let mut series = Series::default();
        series.ended.failed[ErrorKind::Deadlock as usize] = 3;
        series.ended.failed[ErrorKind::LockTimeout as usize] = 1;
        let interval = IntervalTransaction::of("payment", &series);
        assert_eq!(interval.failed, 4);
        let expected = [("deadlock".to_owned(), 3), ("lock_timeout".to_owned(), 1)];
        assert_eq!(interval.failed_by_kind, BTreeMap::from(expected));
    }
}
