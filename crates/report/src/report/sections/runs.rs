//! Several runs side by side.

use schemars::JsonSchema;
use serde::Serialize;
use tacho_analysis::{Reported, clean, overall_mean};
use tacho_core::units::grouped;
use tacho_store::record::{Record, ResultRecord, RunVerdict};

use super::comparison::{labelled, labels, sides};
use crate::document::{Block, Section};
use crate::headline;
use crate::report::charts;
use crate::table::{Column, Table, latencies};
use crate::words::{ABSENT, maybe_micros, minute, relative};

/// Returns a chart of each run's throughput, and a table with one row per run.
pub(super) fn section(report: &Reported) -> Option<Section> {
    let sides = sides(report);
    let records: Vec<&Record> = report.measurements().map(|run| &run.record).collect();
    if records.len() < 2 {
        return None;
    }
    let metric = metric(&records);
    // Metrics that differ between runs cannot share an axis.
    let chart = metric.as_ref().and_then(|metric| charts::runs::runs(&sides, metric));
    let mut blocks: Vec<Block> = chart.map(Block::Chart).into_iter().collect();
    if report.comparisons.is_empty() {
        let labels = labels(&sides);
        let named = labelled(&sides, &labels);
        let over = charts::queries::over(&named).or_else(|| charts::compare::curves(&named));
        blocks.extend(over.map(Block::Chart));
    }
    let table = table(&records, metric.as_deref());
    blocks.push(Block::long("All runs", table));
    Section::of("runs", "Runs", blocks)
}

/// Returns the metric that all runs share, or `None` if their metrics differ.
fn metric(records: &[&Record]) -> Option<String> {
    let results = records.iter().filter_map(|record| record.result.as_ref());
    let mut metrics: Vec<String> =
        results.map(|result| charts::timeline::metric(Some(result))).collect();
    metrics.dedup();
    match &metrics[..] {
        [] => Some(charts::timeline::metric(None)),
        [one] => Some(one.clone()),
        _ => None,
    }
}

fn table(records: &[&Record], metric: Option<&str>) -> Table {
    let each = |cell: &dyn Fn(&Record) -> String| {
        records.iter().map(|record| cell(record)).collect::<Vec<String>>()
    };
    let p95: Vec<Option<f64>> = records
        .iter()
        .map(|record| {
            let all = record
                .result
                .as_ref()?
                .transactions
                .iter()
                .find(|transaction| transaction.name == "all")?;
            all.latency.p95_us
        })
        .collect();
    let columns = vec![
        Column::left("run", each(&|record| record.id.clone())),
        Column::left("began", each(&|record| minute(&record.started_at))),
        Column::left("target", each(&|record| clean(&record.plan.target_name))),
        Column::right("sessions", each(&|record| grouped(record.plan.load.sessions))),
        match metric {
            Some(metric) => Column::right(metric, each(&|record| throughput(record))),
            None => Column::right("figure", each(&named_throughput)),
        },
        Column::right("±95 %", each(&interval)),
        Column::right("p95", latencies(&p95)),
        Column::right(
            "failed",
            each(&|record| {
                record
                    .result
                    .as_ref()
                    .map_or(ABSENT.into(), |result| grouped(result.accounting.failed))
            }),
        ),
        Column::left(
            "verdict",
            each(&|record| {
                record.result.as_ref().map_or("INCOMPLETE".into(), |result| {
                    let failed = headline::failed_thresholds(result).is_some();
                    headline::verdict_in_list(headline::short_verdict(result), failed)
                })
            }),
        ),
    ];
    Table::new(columns)
}

fn throughput(record: &Record) -> String {
    let Some(result) = &record.result else { return ABSENT.into() };
    if !result.streams.is_empty() {
        return maybe_micros(charts::runs::figure(result));
    }
    charts::runs::figure(result).map_or(ABSENT.into(), |value| grouped(value.round() as i64))
}

/// Returns the throughput with the name of its metric.
fn named_throughput(record: &Record) -> String {
    let metric = charts::timeline::metric(record.result.as_ref());
    format!("{} {metric}", throughput(record))
}

fn interval(record: &Record) -> String {
    let interval = record.result.as_ref().and_then(|result| result.interval_95);
    interval.map_or(ABSENT.into(), |interval| relative(interval.value, interval.low, interval.high))
}

/// A run in short form, for a report on several runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::report) struct RunFacts {
    /// Run ID.
    id: String,
    /// Start in RFC 3339.
    started_at: String,
    /// Workload ID.
    workload: String,
    /// Target name.
    target_name: String,
    /// Number of virtual users.
    sessions: u32,
    /// True if the run's results are valid; absent if there is no result.
    valid: Option<bool>,
    /// The run's verdict; absent if there is no result.
    verdict: Option<RunVerdict>,
    /// Name of the workload's main metric, such as `NOPM`.
    headline: Option<String>,
    /// Value of the workload's main metric.
    headline_per_minute: Option<f64>,
    /// Number of transactions that completed per second.
    throughput_per_s: Option<f64>,
    /// Geometric mean of the query times of all streams, in microseconds.
    geometric_mean_us: Option<f64>,
    /// 95th percentile of the latency of all transactions.
    p95_us: Option<f64>,
    /// Number of failed transactions.
    failed: Option<u64>,
}

impl RunFacts {
    /// Extracts the fields from a record.
    pub(in crate::report) fn of(record: &Record) -> Self {
        let result = record.result.as_ref();
        let all = result.and_then(|result| {
            result.transactions.iter().find(|transaction| transaction.name == "all")
        });
        let headline = result.and_then(ResultRecord::stated_headline);
        Self {
            id: record.id.clone(),
            started_at: record.started_at.clone(),
            workload: record.plan.workload.clone(),
            target_name: record.plan.target_name.clone(),
            sessions: record.plan.load.sessions,
            valid: result.map(|result| result.valid),
            verdict: result.map(ResultRecord::verdict),
            headline: headline.map(|headline| headline.name.clone()),
            headline_per_minute: headline.map(|headline| headline.per_minute),
            throughput_per_s: result.map(|result| result.throughput_per_s),
            geometric_mean_us: result.and_then(overall_mean).map(|(mean, _)| mean),
            p95_us: all.and_then(|transaction| transaction.latency.p95_us),
            failed: result.map(|result| result.accounting.failed),
        }
    }
}
