//! Time profiles of a run. They show how long transactions of each type take in the whole run, in every interval, and
//! in spans of ten seconds or more.
//!
//! Percentiles come from histograms and are never averaged.
//!
//! Start reading at [`Timing::of`].

use std::time::Duration;

use serde::Serialize;
use tacho_core::{Error, Result};
use tacho_metrics::{Latencies, sample_floor};
use tacho_store::record::{Record, ResultRecord};
use tacho_store::{HistogramEntry, IntervalRecord};

/// Minimum length of a span. Shorter parts of a run are merged.
const SPAN: Duration = Duration::from_secs(10);
/// Name of the entry for all transaction types combined.
const ALL: &str = "all";

/// The time profile of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Timing {
    /// Always `tacho-timing`.
    pub format: &'static str,
    /// Version of the format.
    pub version: u32,
    /// Run ID.
    pub run: String,
    /// A short description of the measurement.
    pub title: String,
    /// Number of virtual users.
    pub sessions: u32,
    /// Length of the measured phase.
    pub measured_s: f64,
    /// Number of transactions that are in the record but missing from the histograms.
    pub missing: u64,
    /// True if transactions are missing because the histogram file was truncated.
    pub truncated: bool,
    /// Transaction types in the measured phase, sorted by the time spent on them. The last entry combines all types.
    pub procedures: Vec<ProcedureTiming>,
    /// The measured phase, divided into spans of about ten seconds.
    pub spans: Vec<SpanTiming>,
    /// The intervals of the run, including ramp-up and ramp-down.
    pub intervals: Vec<IntervalRecord>,
}

/// A transaction type over the measured phase.
#[derive(Clone, Debug, Serialize)]
pub struct ProcedureTiming {
    /// Transaction name, such as `new_order`.
    pub name: String,
    /// Number of failed transactions. They are not included in the number of calls.
    pub failed: u64,
    /// Fraction of all sessions' time that was spent on this transaction type.
    pub ratio: f64,
    /// Service time (end − sent), which is the time taken by the database.
    pub service: Figures,
    /// Latency (end − due), which is the time that a user had to wait.
    pub latency: Figures,
}

/// A span of the measured phase.
#[derive(Clone, Debug, Serialize)]
pub struct SpanTiming {
    /// Start of the span, relative to the start of the run.
    pub start_s: f64,
    /// Length of the span.
    pub length_s: f64,
    /// All transaction types in the order in which the run lists them, followed by all types combined.
    pub transactions: Vec<SpanTransaction>,
}

/// A transaction type in a span.
#[derive(Clone, Debug, Serialize)]
pub struct SpanTransaction {
    /// Transaction name.
    pub name: String,
    /// Service time (end − sent).
    pub service: Figures,
    /// Latency (end − due).
    pub latency: Figures,
}

/// Statistics of a distribution. A statistic is absent if there are too few samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Number of transactions that committed or were rolled back as intended.
    pub calls: u64,
    /// Sum of the durations.
    pub total_us: f64,
    /// Minimum.
    pub min_us: Option<f64>,
    /// Mean.
    pub mean_us: Option<f64>,
    /// Maximum.
    pub max_us: Option<f64>,
    /// Standard deviation.
    pub sd_us: Option<f64>,
    /// 25th percentile.
    pub p25_us: Option<f64>,
    /// Median.
    pub p50_us: Option<f64>,
    /// 75th percentile.
    pub p75_us: Option<f64>,
    /// 95th percentile.
    pub p95_us: Option<f64>,
    /// 99th percentile.
    pub p99_us: Option<f64>,
}

/// The service times and latencies of one transaction type.
#[derive(Clone, Debug, Default)]
struct Both {
    service: Latencies,
    latency: Latencies,
}

impl Timing {
    /// Computes the time profile of a complete run from its histograms and intervals.
    pub fn of(
        record: &Record,
        histograms: &[HistogramEntry],
        intervals: Vec<IntervalRecord>,
    ) -> Result<Self> {
        let Some(result) = &record.result else {
            return Err(Error::usage(format!("run {} has no result", record.id))
                .hint("to see which runs are complete, use tacho runs list"));
        };
        let kinds: Vec<&str> = result
            .transactions
            .iter()
            .map(|transaction| transaction.name.as_str())
            .filter(|name| *name != ALL)
            .collect();
        let plan = &record.plan;
        let procedures = procedures(&kinds, histograms, result, plan.load.sessions);
        let missing = missing(record, histograms);
        Ok(Self {
            format: "tacho-timing",
            version: 1,
            run: record.id.clone(),
            title: format!("{} on {}, {}", plan.workload, plan.target_name, record.server.version),
            sessions: plan.load.sessions,
            measured_s: result.measured_s,
            missing: missing.count,
            truncated: missing.truncated,
            procedures,
            spans: spans(&kinds, histograms),
            intervals,
        })
    }
}

/// Returns the number of transactions in a result.
fn known(result: &ResultRecord) -> u64 {
    result
        .transactions
        .iter()
        .filter(|transaction| transaction.name != ALL)
        .map(|transaction| transaction.count)
        .sum()
}

/// The transactions that a run completed but that are missing from its histograms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Number of missing transactions.
    pub count: u64,
    /// True if the histogram file does not reach the end of the measured phase. In files from older versions, the
    /// beginning of the phase may be missing instead.
    pub truncated: bool,
}

/// Counts the transactions that are missing from a run's histograms.
pub fn missing(record: &Record, histograms: &[HistogramEntry]) -> Missing {
    let Some(result) = &record.result else { return Missing::default() };
    let counted: u64 = histograms
        .iter()
        .filter(|entry| {
            result
                .transactions
                .iter()
                .any(|transaction| transaction.name == entry.tag && transaction.name != ALL)
        })
        .map(|entry| entry.latencies().count())
        .sum();
    let count = known(result).saturating_sub(counted);
    let from = histograms.iter().map(|entry| entry.start).min().unwrap_or_default();
    let to = histograms.iter().map(|entry| entry.start + entry.length).max().unwrap_or_default();
    let covered = to.saturating_sub(from) + record.plan.load.interval / 2;
    let is_short = covered.as_secs_f64() < result.measured_s;
    Missing { count, truncated: count > 0 && is_short }
}

fn procedures(
    kinds: &[&str],
    histograms: &[HistogramEntry],
    result: &ResultRecord,
    sessions: u32,
) -> Vec<ProcedureTiming> {
    let everything: Vec<&HistogramEntry> = histograms.iter().collect();
    let time_us = result.measured_s * 1e6 * f64::from(sessions.max(1));
    let timing = |(name, both): (&str, Both)| {
        let service = Figures::of(&both.service);
        let known = result.transactions.iter().find(|transaction| transaction.name == name);
        ProcedureTiming {
            name: name.into(),
            failed: known.map_or(0, |transaction| transaction.failed),
            ratio: if time_us > 0.0 { service.total_us / time_us } else { 0.0 },
            service,
            latency: Figures::of(&both.latency),
        }
    };
    let mut procedures: Vec<ProcedureTiming> =
        merged(kinds, &everything).into_iter().map(timing).collect();
    let all = procedures.pop();
    procedures.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    procedures.extend(all);
    procedures
}

/// Merges parts of the histogram log into spans that are long enough. The last span may be shorter.
fn spans(kinds: &[&str], histograms: &[HistogramEntry]) -> Vec<SpanTiming> {
    let mut starts: Vec<Duration> = histograms.iter().map(|entry| entry.start).collect();
    starts.sort_unstable();
    starts.dedup();
    let mut spans = Vec::new();
    let mut open: Vec<&HistogramEntry> = Vec::new();
    for (at, start) in starts.iter().enumerate() {
        open.extend(histograms.iter().filter(|entry| entry.start == *start));
        let end = open.iter().map(|entry| entry.start + entry.length).max().unwrap_or_default();
        let length = end.saturating_sub(open[0].start);
        // The histogram log truncates the length of an interval to whole milliseconds.
        if length + Duration::from_millis(5) >= SPAN || at + 1 == starts.len() {
            spans.push(span(kinds, &open, length));
            open.clear();
        }
    }
    spans
}

fn span(kinds: &[&str], entries: &[&HistogramEntry], length: Duration) -> SpanTiming {
    let transactions = merged(kinds, entries).into_iter().map(|(name, both)| SpanTransaction {
        name: name.into(),
        service: Figures::of(&both.service),
        latency: Figures::of(&both.latency),
    });
    SpanTiming {
        start_s: entries[0].start.as_secs_f64(),
        length_s: length.as_secs_f64(),
        transactions: transactions.collect(),
    }
}

/// Returns the distributions of latency and service time for each transaction type, followed by those for all types
/// combined.
fn merged<'a>(kinds: &[&'a str], entries: &[&HistogramEntry]) -> Vec<(&'a str, Both)> {
    let mut all = Both::default();
    let mut merged: Vec<(&str, Both)> = kinds
        .iter()
        .map(|kind| {
            let mut both = Both::default();
            let service = format!("{kind}.service");
            for entry in entries {
                if entry.tag == *kind {
                    both.latency.merge(&entry.latencies());
                } else if entry.tag == service {
                    both.service.merge(&entry.latencies());
                }
            }
            all.latency.merge(&both.latency);
            all.service.merge(&both.service);
            (*kind, both)
        })
        .collect();
    merged.push((ALL, all));
    merged
}

impl Figures {
    fn of(latencies: &Latencies) -> Self {
        let micros = |span: Duration| span.as_nanos() as f64 / 1e3;
        let at = |share: f64| {
            // Omit a quantile unless there are enough samples on both sides of it.
            let floor = sample_floor(share.max(1.0 - share));
            (latencies.count() >= floor).then(|| micros(latencies.quantile(share)))
        };
        let calls = latencies.count();
        let any = |span: Duration| (calls > 0).then(|| micros(span));
        Self {
            calls,
            total_us: micros(latencies.mean()) * calls as f64,
            min_us: any(latencies.min()),
            mean_us: any(latencies.mean()),
            max_us: any(latencies.max()),
            sd_us: any(latencies.deviation()),
            p25_us: at(0.25),
            p50_us: at(0.5),
            p75_us: at(0.75),
            p95_us: at(0.95),
            p99_us: at(0.99),
        }
    }
}
