//! Values of each metric for the two sides of a comparison, along with the change from one side to the other.
//!
//! The compared values are taken from the summaries in the run records. The intervals and histograms of a run are used
//! only to determine how much its values vary.
//!
//! Start reading at [`outcome`].

use std::collections::BTreeMap;

use tacho_metrics::{
    Change, Direction, Effect, Latencies, Mean, QUANTILES, Quantile, Sample, Verdict,
    quantile_means,
};
use tacho_store::record::{ResultRecord, TransactionRecord};
use tacho_store::{HistogramEntry, IntervalRecord};

use super::queries::{self, Outcome};
use super::turns;
use super::{Basis, Measurement, MetricRow, Side, median_run};
use crate::analytics::{self, QUERIES_PER_HOUR};

/// The percentiles to be compared.
const COMPARED: [Quantile; 3] = [QUANTILES[0], QUANTILES[2], QUANTILES[3]];

/// A metric of a comparison.
enum Metric {
    /// The workload's main metric, identified by its name.
    Headline(String),
    /// Completed transactions per second, for workloads without a main metric.
    Throughput,
    /// A latency percentile of a transaction type. The percentile is an index into [`COMPARED`].
    Percentile(String, usize),
    /// Queries per hour of the streams that run alongside transactions.
    Queries,
    /// Geometric mean of the query times in these streams.
    QueryTime,
}

impl Metric {
    fn name(&self) -> String {
        match self {
            Self::Headline(name) => name.clone(),
            Self::Throughput => "throughput".into(),
            Self::Percentile(transaction, place) => {
                format!("{transaction} {}", COMPARED[*place].name)
            }
            Self::Queries => QUERIES_PER_HOUR.into(),
            Self::QueryTime => "queries' mean".into(),
        }
    }

    fn unit(&self) -> &'static str {
        match self {
            Self::Headline(_) => "per_minute",
            Self::Throughput => "per_s",
            Self::Percentile(..) | Self::QueryTime => "us",
            Self::Queries => "per_hour",
        }
    }

    fn good(&self) -> Direction {
        if self.unit() == "us" { Direction::Down } else { Direction::Up }
    }

    /// Returns the metric's value in the summary.
    fn figure(&self, result: &ResultRecord) -> Option<f64> {
        match self {
            Self::Headline(_) => Some(result.stated_headline()?.per_minute),
            Self::Throughput => Some(result.throughput_per_s),
            Self::Percentile(transaction, place) => {
                let mut transactions = result.transactions.iter();
                of_quantile(transactions.find(|kind| kind.name == *transaction)?, COMPARED[*place])
            }
            Self::Queries => Some(result.analytics.as_ref()?.queries_per_hour),
            Self::QueryTime => Some(result.analytics.as_ref()?.geometric_mean_s? * 1e6),
        }
    }

    /// Returns a metric's mean and spread as stored in a run's record. This is used when a side has several runs,
    /// because the intervals of these runs are not read.
    fn recorded(&self, result: &ResultRecord) -> Option<Mean> {
        match self {
            Self::Headline(_) | Self::Throughput => Some(result.interval_95?.mean()),
            _ => None,
        }
    }

    /// Returns a metric's mean and spread, calculated from its values in different parts of the run.
    fn within(&self, held: &Held<'_>) -> Option<Mean> {
        let run = held.side.runs.first()?;
        match self {
            Self::Headline(_) => over_time(run, |interval| interval.headline_per_minute),
            Self::Throughput => over_time(run, |interval| Some(interval.throughput_per_s)),
            Self::Percentile(transaction, place) => held.percentiles.get(transaction)?[*place],
            Self::Queries => over_time(run, |interval| interval.queries_per_hour),
            Self::QueryTime => {
                let record = run.record.result.as_ref()?.analytics.as_ref()?;
                Mean::of_repeats(&analytics::rounds_us(record))
            }
        }
    }
}

/// One side of a comparison. It keeps the percentiles of each part of its run for use in several comparisons.
pub(super) struct Held<'a> {
    pub(super) side: &'a Side,
    percentiles: BTreeMap<String, [Option<Mean>; COMPARED.len()]>,
}

impl<'a> Held<'a> {
    /// Creates one side of the comparison. If the side has only a single run, computes the latency percentiles of each
    /// part of the run, because the spread is derived from them.
    pub(super) fn of(side: &'a Side) -> Self {
        let run = side.single().filter(|run| !run.histograms.is_empty());
        let percentiles = run.map_or_else(BTreeMap::new, |run| {
            names(side).into_iter().map(|name| (name.clone(), percentiles(run, &name))).collect()
        });
        Self { side, percentiles }
    }
}

fn percentiles(run: &Measurement, transaction: &str) -> [Option<Mean>; COMPARED.len()] {
    let parts = run.histograms.iter().filter(|part| part.tag == transaction);
    let parts: Vec<Latencies> = parts.map(HistogramEntry::latencies).collect();
    quantile_means(&parts, COMPARED.map(|quantile| quantile.share))
}

/// Compares the two sides: query streams by the time of each query, other runs by throughput and latency percentiles.
pub(super) fn outcome(baseline: &Held<'_>, run: &Held<'_>) -> Outcome {
    let mut outcome = if queries::both_end(baseline.side, run.side) {
        queries::outcome(baseline.side, run.side)
    } else {
        let repeated = baseline.side.runs.len() > 1 && run.side.runs.len() > 1;
        let basis = if repeated { Basis::BetweenRuns } else { Basis::WithinRun };
        Outcome { rows: rows(baseline, run), basis, notes: Vec::new() }
    };
    let (baseline, run) = (baseline.side, run.side);
    outcome.rows.push(failures("failed", baseline, run, |result| result.accounting.failed));
    if with_queries(baseline) || with_queries(run) {
        let queries = |result: &ResultRecord| {
            result.analytics.as_ref().map_or(0, |analytics| analytics.failed)
        };
        outcome.rows.push(failures("failed queries", baseline, run, queries));
    }
    outcome
}

/// Returns rows for throughput, followed by rows for the latency percentiles of each transaction type.
fn rows(baseline: &Held<'_>, run: &Held<'_>) -> Vec<MetricRow> {
    let mut metrics = vec![throughput(baseline.side, run.side)];
    if with_queries(baseline.side) && with_queries(run.side) {
        metrics.extend([Metric::Queries, Metric::QueryTime]);
    }
    for transaction in names(baseline.side) {
        let each = 0..COMPARED.len();
        metrics.extend(each.map(|place| Metric::Percentile(transaction.clone(), place)));
    }
    metrics.iter().map(|metric| row(metric, baseline, run)).collect()
}

fn row(metric: &Metric, baseline: &Held<'_>, run: &Held<'_>) -> MetricRow {
    let effect = effect(metric, baseline, run);
    let change = effect.as_ref().and_then(Effect::estimate).map(Change::of_logarithm);
    MetricRow {
        name: metric.name(),
        unit: metric.unit(),
        good: metric.good(),
        baseline: figure(metric, baseline.side),
        run: figure(metric, run.side),
        change,
        verdict: Verdict::of(change, metric.good()),
        adjusted_p: None,
        effect,
    }
}

/// Returns the metric's value in the median run of a side.
fn figure(metric: &Metric, side: &Side) -> Option<f64> {
    let is_complete = figures(metric, side).len() == side.runs.len();
    let result = median_run(&side.runs)?.record.result.as_ref()?;
    metric.figure(result).filter(|_| is_complete)
}

fn figures(metric: &Metric, side: &Side) -> Vec<f64> {
    let results = side.runs.iter().filter_map(|run| run.record.result.as_ref());
    results.filter_map(|result| metric.figure(result)).collect()
}

fn effect(metric: &Metric, baseline: &Held<'_>, run: &Held<'_>) -> Option<Effect> {
    let effect = Effect::of(sample(metric, baseline)?, sample(metric, run)?);
    Some(if turns::alternate(baseline.side, run.side) {
        let [first, second] = [baseline, run].map(|held| figures(metric, held.side));
        effect.in_turns(&first.into_iter().zip(second).collect::<Vec<_>>())
    } else {
        effect
    })
}

/// Returns a metric's mean and spread. The spread is computed between runs or, for a single run, between its parts.
fn sample(metric: &Metric, held: &Held<'_>) -> Option<Sample> {
    let side = held.side;
    let values = figures(metric, side);
    if values.len() < side.runs.len() {
        return None;
    }
    let within: Vec<Mean> = if side.single().is_some() {
        metric.within(held).into_iter().collect()
    } else {
        let results = side.runs.iter().filter_map(|run| run.record.result.as_ref());
        results.filter_map(|result| metric.recorded(result)).collect()
    };
    Sample::of(&values, &within)
}

/// Returns true if all runs have query streams alongside the transactions.
fn with_queries(side: &Side) -> bool {
    side.runs.iter().all(|run| run.record.plan.streams > 0)
}

fn throughput(baseline: &Side, run: &Side) -> Metric {
    let headline = |side: &Side| {
        let result = side.runs.first()?.record.result.as_ref()?;
        result.stated_headline().map(|headline| headline.name.clone())
    };
    headline(baseline)
        .filter(|name| headline(run).as_ref() == Some(name))
        .map_or(Metric::Throughput, Metric::Headline)
}

/// Returns the mean and spread over the intervals of the measured phase. Ignores a last interval that is too short.
fn over_time(run: &Measurement, value: fn(&IntervalRecord) -> Option<f64>) -> Option<Mean> {
    let measured = || run.intervals.iter().filter(|interval| interval.phase == "measure");
    let longest = measured().map(|interval| interval.length_s).fold(0.0, f64::max);
    let whole = measured().filter(|interval| interval.length_s >= longest / 2.0);
    Mean::over_time(&whole.filter_map(value).collect::<Vec<f64>>())
}

fn names(side: &Side) -> Vec<String> {
    let result = side.runs.first().and_then(|run| run.record.result.as_ref());
    let transactions = result.map_or(&[][..], |result| &result.transactions);
    // The transaction named `all` is skipped, because it combines all transaction types and has no histogram.
    transactions
        .iter()
        .map(|transaction| transaction.name.clone())
        .filter(|name| name != "all")
        .collect()
}

fn of_quantile(transaction: &TransactionRecord, quantile: Quantile) -> Option<f64> {
    let latency = &transaction.latency;
    match quantile.name {
        "p50" => latency.p50_us,
        "p95" => latency.p95_us,
        "p99" => latency.p99_us,
        _ => None,
    }
}

/// Returns a row with the number of failures. It has no verdict, because failures occur in bursts.
fn failures(
    name: &str,
    baseline: &Side,
    run: &Side,
    count: impl Fn(&ResultRecord) -> u64,
) -> MetricRow {
    let failed = |side: &Side| {
        let results = side.runs.iter().filter_map(|run| run.record.result.as_ref());
        results.map(|result| count(result) as f64).sum()
    };
    let (baseline, run) = (failed(baseline), failed(run));
    let none = baseline == 0.0 && run == 0.0;
    MetricRow {
        name: name.into(),
        unit: "count",
        good: Direction::Down,
        baseline: Some(baseline),
        run: Some(run),
        change: None,
        verdict: if none { Verdict::NoDifference } else { Verdict::NotEnoughData },
        adjusted_p: None,
        effect: None,
    }
}
