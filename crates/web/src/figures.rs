//! The metrics of the running measurement for monitoring systems, each with its name, unit and labels.
//!
//! `/metrics` and the OpenTelemetry export provide the same metrics. Counters and histograms start
//! again at zero in each phase.
//!
//! Start reading at [`figures`].

use tacho_store::IntervalRecord;
use tacho_store::event::{Buckets, Standing};
use tacho_store::record::TransactionRecord;

/// A metric with all its series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) help: &'static str,
    /// The unit in UCUM notation.
    pub(crate) unit: &'static str,
    pub(crate) series: Vec<Series>,
}

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A value that rises and falls.
    Gauge,
    /// A count that only increases during a phase and starts again at zero in the next one.
    Counter,
    /// A distribution of values across buckets.
    Histogram,
}

/// A series of a metric.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) labels: Vec<(&'static str, String)>,
    pub(crate) value: Value,
}

/// The current value of a series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// A number.
    One(f64),
    /// A latency histogram.
    Many(Buckets),
}

/// Returns all metrics. Some describe the latest complete interval, and the others describe the current phase so far.
pub(crate) fn figures(
    interval: Option<&IntervalRecord>,
    standing: Option<&Standing>,
) -> Vec<Figure> {
    let of_interval = interval.into_iter().flat_map(of_interval);
    of_interval.chain(standing.into_iter().flat_map(of_phase)).collect()
}

/// Creates a metric that consists of a single number.
pub(crate) fn one(name: &'static str, kind: Kind, help: &'static str, value: f64) -> Figure {
    let series = vec![Series { labels: Vec::new(), value: Value::One(value) }];
    Figure { name, kind, help, unit: "1", series }
}

/// Returns the metrics of the latest complete interval.
fn of_interval(interval: &IntervalRecord) -> Vec<Figure> {
    let gauges = [
        (
            "tacho_sessions",
            "Sessions that were running at the end of the last interval.",
            Some(f64::from(interval.sessions)),
        ),
        ("tacho_sessions_planned", "Planned sessions.", Some(f64::from(interval.sessions_planned))),
        (
            "tacho_throughput_per_second",
            "Transactions per second in the last interval.",
            Some(interval.throughput_per_s),
        ),
        (
            "tacho_headline_per_minute",
            "The workload's headline metric in the last interval, such as NOPM, as counted by the \
             client.",
            interval.headline_per_minute,
        ),
        (
            "tacho_backlog",
            "Arrivals that were waiting for a free session at the end of the last interval.",
            interval.backlog.map(|count| count as f64),
        ),
    ];
    let known = gauges.into_iter().filter_map(|(name, help, value)| Some((name, help, value?)));
    known.map(|(name, help, value)| one(name, Kind::Gauge, help, value)).collect()
}

/// Returns the metrics of the current phase so far. Counters restart with each phase.
fn of_phase(standing: &Standing) -> [Figure; 5] {
    // Omit the last entry, which is the total over all transaction types.
    let kinds = standing.transactions.split_last().map_or(&[][..], |(_, kinds)| kinds);
    let ended = kinds.iter().chain(&standing.queries).flat_map(|kind| {
        outcomes(kind).map(|(outcome, count)| Series {
            labels: vec![("transaction", kind.name.clone()), ("outcome", outcome.into())],
            value: Value::One(count as f64),
        })
    });
    let errors = standing.errors.iter().map(|error| Series {
        labels: vec![
            ("transaction", error.transaction.clone()),
            ("kind", error.kind.clone()),
            ("code", error.code.clone()),
        ],
        value: Value::One(error.count as f64),
    });
    let latencies = standing.buckets.iter().map(|kind| Series {
        labels: vec![("transaction", kind.name.clone())],
        value: Value::Many(kind.clone()),
    });
    let wait = &standing.session_wait;
    let waits = [("0.5", wait.p50_us), ("0.95", wait.p95_us), ("0.99", wait.p99_us)];
    let waits = waits.into_iter().filter_map(|(quantile, micros)| {
        let labels = vec![("quantile", quantile.into())];
        Some(Series { labels, value: Value::One(micros? / 1e6) })
    });
    let phase = Series {
        labels: vec![("phase", standing.phase.clone())],
        value: Value::One(standing.elapsed_s),
    };
    [
        Figure {
            name: "tacho_phase_seconds",
            kind: Kind::Gauge,
            help: "Length of the phase so far.",
            unit: "s",
            series: vec![phase],
        },
        Figure {
            name: "tacho_transactions_total",
            kind: Kind::Counter,
            help: "Transactions that ended in the current phase, by outcome.",
            unit: "1",
            series: ended.collect(),
        },
        Figure {
            name: "tacho_transaction_latency_seconds",
            kind: Kind::Histogram,
            help: "Latency of transactions, measured from their due time.",
            unit: "s",
            series: latencies.collect(),
        },
        Figure {
            name: "tacho_queueing_seconds",
            kind: Kind::Gauge,
            help: "Time that arrivals or terminals waited for a free session, by quantile.",
            unit: "s",
            series: waits.collect(),
        },
        Figure {
            name: "tacho_errors_total",
            kind: Kind::Counter,
            help: "Failures in the run, by transaction and failure class.",
            unit: "1",
            series: errors.collect(),
        },
    ]
}

fn outcomes(kind: &TransactionRecord) -> [(&'static str, u64); 3] {
    let committed = kind.count.saturating_sub(kind.rolled_back);
    [("committed", committed), ("rolled_back", kind.rolled_back), ("failed", kind.failed)]
}
