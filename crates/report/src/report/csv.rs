//! A table of the report as CSV, with a header, plain numbers and all rows.
//!
//! Start reading at [`text`].

use serde_json::{Value, json};
use tacho_analysis::{Measurement, MetricRow, Reported, SweepRow, SweepView};
use tacho_core::{Error, Result};
use tacho_store::record::{
    DistributionRecord, ExecutionRecord, Record, ResultRecord, StreamRecord,
};
use tacho_store::{IntervalRecord, IntervalTransaction};

/// A table of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvTable {
    /// One row for each interval and transaction type.
    Intervals,
    /// One row for each run and transaction type.
    Transactions,
    /// One row per run.
    Runs,
    /// One row per point of a sweep.
    Points,
    /// One row for each metric of a comparison.
    Metrics,
    /// One row for each query execution, for runs of query streams.
    Executions,
    /// One row per stream.
    Streams,
}

impl CsvTable {
    /// Table names, as users specify them.
    pub const NAMES: [&str; 7] =
        ["intervals", "transactions", "runs", "points", "metrics", "executions", "streams"];

    const ALL: [Self; 7] = [
        Self::Intervals,
        Self::Transactions,
        Self::Runs,
        Self::Points,
        Self::Metrics,
        Self::Executions,
        Self::Streams,
    ];

    /// Returns the table with the given name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Returns the table that best represents the report.
    pub fn of(report: &Reported) -> Self {
        let compared = !report.comparisons.is_empty() || !report.sweep_comparisons.is_empty();
        match (compared, report.sweep(), report.single()) {
            (true, ..) => Self::Metrics,
            (false, Some(_), _) => Self::Points,
            (false, None, Some(run)) if ends(run) => Self::Executions,
            (false, None, Some(_)) => Self::Intervals,
            (false, None, None) => Self::Runs,
        }
    }
}

/// Returns the table as CSV.
pub(super) fn text(report: &Reported, table: CsvTable) -> Result<String> {
    let (rows, hint) = match table {
        CsvTable::Intervals => {
            (intervals(report), "specify one run, or choose another table: --table runs")
        }
        CsvTable::Transactions => (transactions(report), "name a run that has a result"),
        CsvTable::Runs => (runs(report), "name a run"),
        CsvTable::Points => {
            (points(report), "specify a sweep, such as sweep:latest, or choose another --table")
        }
        CsvTable::Metrics => (metrics(report), "specify a baseline with --baseline RUN"),
        CsvTable::Executions => (executions(report), STREAMS_HINT),
        CsvTable::Streams => (streams(report), STREAMS_HINT),
    };
    if rows.is_empty() {
        let text = format!("this report has no {}", table.name());
        return Err(Error::usage(text).hint(hint));
    }
    Ok(crate::csv::text(&rows, "\r\n"))
}

const STREAMS_HINT: &str = "choose another --table: this one is only for runs of query streams";

fn intervals(report: &Reported) -> Vec<Value> {
    let mut rows = Vec::new();
    for run in report.measurements() {
        for interval in &run.intervals {
            rows.push(interval_row(&run.record.id, interval, &interval.totals, true));
            let kinds = interval.transactions.iter();
            rows.extend(kinds.map(|kind| interval_row(&run.record.id, interval, kind, false)));
        }
    }
    rows
}

fn interval_row(
    run: &str,
    interval: &IntervalRecord,
    kind: &IntervalTransaction,
    is_all: bool,
) -> Value {
    let rate = (interval.length_s > 0.0).then(|| kind.count() as f64 / interval.length_s);
    json!({
        "run": run,
        "at_s": interval.at_s,
        "length_s": interval.length_s,
        "phase": interval.phase,
        "sessions": interval.sessions,
        "transaction": kind.name,
        "committed": kind.committed,
        "rolled_back": kind.rolled_back,
        "failed": kind.failed,
        "per_s": rate,
        "headline_per_minute": interval.headline_per_minute.filter(|_| is_all),
        "p50_us": kind.p50_us,
        "p95_us": kind.p95_us,
        "p99_us": kind.p99_us,
        "max_us": kind.max_us,
        "skipped": is_all.then_some(interval.skipped),
        "backlog": interval.backlog.filter(|_| is_all),
    })
}

fn transactions(report: &Reported) -> Vec<Value> {
    let mut rows = Vec::new();
    for run in report.measurements() {
        for transaction in run.record.result.iter().flat_map(|result| &result.transactions) {
            let mut row = json!({
                "run": run.record.id,
                "transaction": transaction.name,
                "share": transaction.share,
                "count": transaction.count,
                "rolled_back": transaction.rolled_back,
                "failed": transaction.failed,
            });
            for (name, times) in
                [("latency", &transaction.latency), ("service", &transaction.service)]
            {
                for (figure, value) in distribution(times) {
                    row[format!("{name}_{figure}")] = value;
                }
            }
            rows.push(row);
        }
    }
    rows
}

fn distribution(times: &DistributionRecord) -> [(&'static str, Value); 9] {
    let known = |value: f64| json!((times.count > 0).then_some(value));
    [
        ("count", json!(times.count)),
        ("min_us", known(times.min_us)),
        ("mean_us", known(times.mean_us)),
        ("p50_us", json!(times.p50_us)),
        ("p90_us", json!(times.p90_us)),
        ("p95_us", json!(times.p95_us)),
        ("p99_us", json!(times.p99_us)),
        ("p999_us", json!(times.p999_us)),
        ("max_us", known(times.max_us)),
    ]
}

fn runs(report: &Reported) -> Vec<Value> {
    report.measurements().map(|run| run_row(&run.record)).collect()
}

fn run_row(record: &Record) -> Value {
    let (plan, result) = (&record.plan, record.result.as_ref());
    let all = result.and_then(|result| {
        result.transactions.iter().find(|transaction| transaction.name == "all")
    });
    let latency = all.map(|transaction| transaction.latency);
    let headline = result.and_then(ResultRecord::stated_headline);
    let interval = result.and_then(|result| result.interval_95);
    json!({
        "run": record.id,
        "started_at": record.started_at,
        "workload": plan.workload,
        "target": plan.target_name,
        "scale": plan.scale.to_string(),
        "sessions": plan.load.sessions,
        "valid": result.map(|result| result.valid),
        "headline": headline.map(|headline| &headline.name),
        "headline_per_minute": headline.map(|headline| headline.per_minute),
        "tpm": result.and_then(|result| Some(result.tpm.as_ref()?.per_minute)),
        "tpm_source": result.and_then(|result| Some(result.tpm.as_ref()?.source.clone())),
        "throughput_per_s": result.map(|result| result.throughput_per_s),
        "low_per_s": interval.map(|interval| interval.low),
        "high_per_s": interval.map(|interval| interval.high),
        "p50_us": latency.and_then(|latency| latency.p50_us),
        "p95_us": latency.and_then(|latency| latency.p95_us),
        "p99_us": latency.and_then(|latency| latency.p99_us),
        "failed": result.map(|result| result.accounting.failed),
        "tags": record.tags.join(" "),
        "verdict": result.map(crate::headline::short_verdict),
    })
}

fn points(report: &Reported) -> Vec<Value> {
    // The sweeps may vary different settings, so collect the settings of all of them.
    let mut keys: Vec<&str> = Vec::new();
    for varied in report.sweeps.iter().flat_map(|side| &side.view.sweep.vary) {
        if !keys.contains(&varied.key.as_str()) {
            keys.push(&varied.key);
        }
    }
    let views = report.sweeps.iter().map(|side| &side.view);
    views.flat_map(|view| view.rows.iter().map(|row| point_row(view, row, &keys))).collect()
}

fn point_row(view: &SweepView, point: &SweepRow, keys: &[&str]) -> Value {
    let mut row = json!({ "sweep": view.sweep.id });
    for key in keys {
        // The first run of a search for the highest rate has no rate limit, so its rate column is
        // empty.
        let place = view.sweep.vary.iter().position(|varied| varied.key == **key);
        row[*key] = json!(place.and_then(|place| point.values.get(place)));
    }
    let figures = json!({
        "throughput": point.throughput,
        "low": point.low,
        "high": point.high,
        "p95_us": point.p95_us,
        "p99_us": point.p99_us,
        "failed": point.failed,
        "valid": point.valid,
        "peak": point.peak,
        "knee": point.knee,
        "runs": point.runs.join(" "),
        "missing": point.missing,
        "queries_per_hour": point.queries_per_hour,
        "below_frontier": point.below_frontier,
        "verdict": point.throughput.map(|_| point.run_verdict.word()),
    });
    for (name, value) in figures.as_object().into_iter().flatten() {
        row[name] = value.clone();
    }
    row
}

fn metrics(report: &Reported) -> Vec<Value> {
    let of_runs = report.comparisons.iter().flat_map(|one| {
        let names = [&one.baseline.name, &one.run.name];
        one.metrics.iter().map(move |row| metric_row(names, "", row))
    });
    let of_sweeps = report.sweep_comparisons.iter().flat_map(|one| {
        let names = [&one.baseline.sweep, &one.run.sweep];
        one.points.iter().flat_map(move |point| {
            let place = one.label(&point.values);
            point.metrics.iter().map(move |row| metric_row(names, &place, row))
        })
    });
    of_runs.chain(of_sweeps).collect()
}

fn metric_row([baseline, run]: [&String; 2], point: &str, metric: &MetricRow) -> Value {
    json!({
        "baseline": baseline,
        "run": run,
        "point": point,
        "metric": metric.name,
        "unit": metric.unit,
        "before": metric.baseline,
        "after": metric.run,
        "change": metric.change.map(|change| change.value),
        "low": metric.change.map(|change| change.low),
        "high": metric.change.map(|change| change.high),
        "verdict": crate::compare::word(metric.verdict).to_lowercase(),
    })
}

fn ends(run: &Measurement) -> bool {
    run.record.result.as_ref().is_some_and(|result| !result.streams.is_empty())
}

/// Returns the runs whose sessions ended on their own, each with its result.
fn ended(report: &Reported) -> impl Iterator<Item = (&str, &ResultRecord)> {
    let runs = report.measurements().filter(|run| ends(run));
    runs.filter_map(|run| Some((run.record.id.as_str(), run.record.result.as_ref()?)))
}

fn executions(report: &Reported) -> Vec<Value> {
    let rows = ended(report).flat_map(|(id, result)| {
        result.executions.iter().map(move |execution| execution_row(id, result, execution))
    });
    rows.collect()
}

fn execution_row(run: &str, result: &ResultRecord, execution: &ExecutionRecord) -> Value {
    let plan = result.query_plans.iter().find(|plan| plan.transaction == execution.transaction);
    let work = execution.work.unwrap_or_default();
    json!({
        "run": run,
        "session": execution.session + 1,
        "transaction": execution.transaction,
        "sent_s": execution.sent_s,
        "took_s": execution.took_s,
        "rows": execution.rows,
        "failed": execution.failed,
        "first_row_s": execution.first_row_s,
        "plan": plan.map(|plan| &plan.hash),
        "temp_bytes": work.temp_bytes,
        "temp_files": work.temp_files,
        "temp_tables": work.temp_tables,
        "read_bytes": work.read_bytes,
        "cached_bytes": work.cached_bytes,
        "read_rows": work.read_rows,
    })
}

fn streams(report: &Reported) -> Vec<Value> {
    let row = |run: &str, stream: &StreamRecord| {
        json!({
            "run": run,
            "session": stream.session + 1,
            "good": stream.good,
            "failed": stream.failed,
            "elapsed_s": stream.elapsed_s,
            "geometric_mean_s": stream.geometric_mean_s,
            "penalised_mean_s": stream.penalised_mean_s,
        })
    };
    ended(report)
        .flat_map(|(id, result)| result.streams.iter().map(move |stream| row(id, stream)))
        .collect()
}
