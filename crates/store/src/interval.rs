//! One interval of a run: a line of `intervals.jsonl.zst` and of `--progress json`.
//!
//! Start reading at [`IntervalRecord`].

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacho_core::ErrorKind;
use tacho_metrics::{Latencies, Outcomes, QUANTILES, Quantile, Series};

/// Figures of one interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalRecord {
    /// End of the interval, since the start of the run.
    pub at_s: f64,
    /// Its length; the last one of a phase may be shorter.
    pub length_s: f64,
    /// `ramp-up`, `measure` or `ramp-down`.
    pub phase: String,
    /// Virtual users that were running at its end.
    pub sessions: u32,
    /// Planned number of virtual users.
    pub sessions_planned: u32,
    /// Number of neighbouring intervals that were merged into this one; absent if it is a single one. Every
    /// percentile of merged intervals is the highest of theirs. Files have single intervals only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<u32>,
    /// Step of a load that changes, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Transactions per second that committed or were rolled back as intended: those that ended in
    /// the interval, whenever they were due.
    pub throughput_per_s: f64,
    /// The workload's own figure, such as NOPM, as counted by the client.
    pub headline_per_minute: Option<f64>,
    /// Successful queries per hour of the streams. Absent without streams.
    #[serde(default)]
    pub queries_per_hour: Option<f64>,
    /// One entry for each transaction type.
    pub transactions: Vec<IntervalTransaction>,
    /// All transaction types together, named `all`.
    pub totals: IntervalTransaction,
    /// Arrivals that were skipped in the interval because they had waited too long.
    pub skipped: u64,
    /// Arrivals that waited for a free session at its end; absent in closed runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<u64>,
    /// Longest waiting time for a free session of the arrivals that started in the interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_wait_max_us: Option<f64>,
    /// 99th percentile of the lateness of Tacho's timers; absent if too few transactions were
    /// scheduled.
    pub late_p99_us: Option<f64>,
    /// Maximum lateness of Tacho's timers; absent if no transaction was scheduled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_max_us: Option<f64>,
    /// The longest time for which this process was stopped; absent if it was not, and on virtual
    /// time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_stopped_us: Option<f64>,
}

/// What the server did in one interval: a line of `server.jsonl.zst`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerIntervalRecord {
    /// End of the interval, since the start of the run.
    pub at_s: f64,
    /// `ramp-up`, `measure` or `ramp-down`.
    pub phase: String,
    /// What it did.
    pub load: crate::record::ServerLoadRecord,
}

/// One transaction type in an interval. A percentile of too few samples is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalTransaction {
    /// Name, such as `new_order`.
    pub name: String,
    /// Ended by a commit.
    pub committed: u64,
    /// Rolled back as intended.
    pub rolled_back: u64,
    /// Failed.
    pub failed: u64,
    /// The same by error class, such as `deadlock`; only classes that occurred.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed_by_kind: BTreeMap<String, u64>,
    /// Median latency.
    pub p50_us: Option<f64>,
    /// 95th percentile.
    pub p95_us: Option<f64>,
    /// 99th percentile.
    pub p99_us: Option<f64>,
    /// Longest; absent if nothing ended.
    pub max_us: Option<f64>,
}

impl IntervalTransaction {
    /// The figures of a series.
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

    /// Transactions that committed or were rolled back as intended.
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

/// A percentile in microseconds; absent if the samples are too few for it.
pub(crate) fn percentile_us(latencies: &Latencies, quantile: Quantile) -> Option<f64> {
    latencies.at(quantile).map(micros)
}

/// A span in microseconds, exact to the nanosecond.
pub(crate) fn micros(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_by_kind() {
        let mut series = Series::default();
        series.ended.failed[ErrorKind::Deadlock as usize] = 3;
        series.ended.failed[ErrorKind::LockTimeout as usize] = 1;
        let interval = IntervalTransaction::of("payment", &series);
        assert_eq!(interval.failed, 4);
        let expected = [("deadlock".to_owned(), 3), ("lock_timeout".to_owned(), 1)];
        assert_eq!(interval.failed_by_kind, BTreeMap::from(expected));
    }
}
