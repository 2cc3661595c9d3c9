//! One table of a report as CSV (RFC 4180): plain numbers, a header, nothing left out.
//!
//! Start reading at [`text`].

use tacho_analysis::{Measurement, MetricRow, Reported};
use tacho_core::{Error, Result};
use tacho_store::IntervalTransaction;
use tacho_store::record::{DistributionRecord, ResultRecord};

use crate::words::csv_cell;

/// A table of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvTable {
    /// A row for each interval and kind of transaction.
    Intervals,
    /// A row for each run and kind of transaction.
    Transactions,
    /// A row for each run.
    Runs,
    /// A row for each point of a sweep.
    Points,
    /// A row for each metric of a comparison.
    Metrics,
    /// A row for each transaction of runs of streams.
    Executions,
    /// A row for each stream.
    Streams,
}

impl CsvTable {
    /// The names by which users choose.
    pub const NAMES: [&str; 7] =
        ["intervals", "transactions", "runs", "points", "metrics", "executions", "streams"];

    /// The table of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Intervals,
            Self::Transactions,
            Self::Runs,
            Self::Points,
            Self::Metrics,
            Self::Executions,
            Self::Streams,
        ];
        Self::NAMES.iter().position(|own| *own == name).map(|place| all[place])
    }

    /// What says most of a report.
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

/// The table as text.
pub(super) fn text(report: &Reported, table: CsvTable) -> Result<String> {
    let mut out = Csv::default();
    match table {
        CsvTable::Intervals => intervals(&mut out, report)?,
        CsvTable::Transactions => transactions(&mut out, report),
        CsvTable::Runs => runs(&mut out, report),
        CsvTable::Points => points(&mut out, report)?,
        CsvTable::Metrics => metrics(&mut out, report)?,
        CsvTable::Executions => executions(&mut out, report)?,
        CsvTable::Streams => streams(&mut out, report)?,
    }
    Ok(out.text)
}

fn intervals(out: &mut Csv, report: &Reported) -> Result<()> {
    out.row(&[
        "run",
        "at_s",
        "length_s",
        "phase",
        "sessions",
        "transaction",
        "committed",
        "rolled_back",
        "failed",
        "per_s",
        "headline_per_minute",
        "p50_us",
        "p95_us",
        "p99_us",
        "max_us",
        "skipped",
        "backlog",
    ]);
    let runs: Vec<&Measurement> =
        report.measurements().filter(|run| !run.intervals.is_empty()).collect();
    if runs.is_empty() {
        return Err(Error::usage("no intervals are part of this report")
            .hint("name one run, or choose another table: --table runs"));
    }
    for run in runs {
        for interval in &run.intervals {
            let all = std::iter::once((&interval.totals, true));
            for (own, is_all) in all.chain(interval.transactions.iter().map(|own| (own, false))) {
                let of_all = |value: String| if is_all { value } else { String::new() };
                out.row(&[
                    &run.record.id,
                    &interval.at_s.to_string(),
                    &interval.length_s.to_string(),
                    &interval.phase,
                    &interval.sessions.to_string(),
                    &own.name,
                    &own.committed.to_string(),
                    &own.rolled_back.to_string(),
                    &own.failed.to_string(),
                    &rate(own, interval.length_s),
                    &of_all(maybe(interval.headline_per_minute)),
                    &maybe(own.p50_us),
                    &maybe(own.p95_us),
                    &maybe(own.p99_us),
                    &maybe(own.max_us),
                    &of_all(interval.skipped.to_string()),
                    &of_all(interval.backlog.map(|count| count.to_string()).unwrap_or_default()),
                ]);
            }
        }
    }
    Ok(())
}

fn rate(own: &IntervalTransaction, length_s: f64) -> String {
    if length_s > 0.0 { (own.count() as f64 / length_s).to_string() } else { String::new() }
}

fn transactions(out: &mut Csv, report: &Reported) {
    let times =
        ["count", "min_us", "mean_us", "p50_us", "p90_us", "p95_us", "p99_us", "p999_us", "max_us"];
    let mut header: Vec<String> = ["run", "transaction", "share", "count", "rolled_back", "failed"]
        .map(str::to_owned)
        .to_vec();
    for kind in ["latency", "service"] {
        header.extend(times.iter().map(|name| format!("{kind}_{name}")));
    }
    out.row(&header);
    for run in report.measurements() {
        for own in run.record.result.iter().flat_map(|result| &result.transactions) {
            let mut row = vec![
                run.record.id.clone(),
                own.name.clone(),
                own.share.to_string(),
                own.count.to_string(),
                own.rolled_back.to_string(),
                own.failed.to_string(),
            ];
            row.extend(distribution(&own.latency));
            row.extend(distribution(&own.service));
            out.row(&row);
        }
    }
}

fn distribution(own: &DistributionRecord) -> Vec<String> {
    let known = |value: f64| if own.count > 0 { value.to_string() } else { String::new() };
    let mut cells = vec![own.count.to_string(), known(own.min_us), known(own.mean_us)];
    cells.extend([own.p50_us, own.p90_us, own.p95_us, own.p99_us, own.p999_us].map(maybe));
    cells.push(known(own.max_us));
    cells
}

fn runs(out: &mut Csv, report: &Reported) {
    out.row(&[
        "run",
        "started_at",
        "workload",
        "target",
        "scale",
        "sessions",
        "valid",
        "headline",
        "headline_per_minute",
        "tpm",
        "throughput_per_s",
        "low_per_s",
        "high_per_s",
        "p50_us",
        "p95_us",
        "p99_us",
        "failed",
        "tags",
        "verdict",
    ]);
    for run in report.measurements() {
        let (record, result) = (&run.record, run.record.result.as_ref());
        let all = result.and_then(|own| own.transactions.iter().find(|own| own.name == "all"));
        let time = |choose: fn(&DistributionRecord) -> Option<f64>| {
            maybe(all.and_then(|own| choose(&own.latency)))
        };
        let headline = result.and_then(|own| own.headline.as_ref());
        let interval = result.and_then(|own| own.interval_95);
        out.row(&[
            record.id.clone(),
            record.started_at.clone(),
            record.plan.workload.clone(),
            record.plan.target_name.clone(),
            record.plan.scale.to_string(),
            record.plan.load.sessions.to_string(),
            result.map(|own| own.valid.to_string()).unwrap_or_default(),
            headline.map(|own| own.name.clone()).unwrap_or_default(),
            maybe(headline.map(|own| own.per_minute)),
            maybe(result.and_then(|own| own.tpm.as_ref()).map(|own| own.per_minute)),
            maybe(result.map(|own| own.throughput_per_s)),
            maybe(interval.map(|own| own.low)),
            maybe(interval.map(|own| own.high)),
            time(|own| own.p50_us),
            time(|own| own.p95_us),
            time(|own| own.p99_us),
            result.map(|own| own.accounting.failed.to_string()).unwrap_or_default(),
            record.tags.join(" "),
            result.map(|own| own.verdict().word().to_owned()).unwrap_or_default(),
        ]);
    }
}

fn points(out: &mut Csv, report: &Reported) -> Result<()> {
    if report.sweeps.is_empty() {
        return Err(Error::usage("points are those of a sweep")
            .hint("name one, such as sweep:latest, or choose another --table"));
    }
    // Sweeps that are compared may vary different settings besides their common ones.
    let mut keys: Vec<&str> = Vec::new();
    for varied in report.sweeps.iter().flat_map(|side| &side.view.sweep.vary) {
        if !keys.contains(&varied.key.as_str()) {
            keys.push(&varied.key);
        }
    }
    let figures = [
        "throughput",
        "low",
        "high",
        "p95_us",
        "p99_us",
        "failed",
        "valid",
        "peak",
        "knee",
        "runs",
        "missing",
        "queries_per_hour",
        "below_frontier",
        "verdict",
    ];
    let header: Vec<&str> =
        ["sweep"].into_iter().chain(keys.iter().copied()).chain(figures).collect();
    out.row(&header);
    for view in report.sweeps.iter().map(|side| &side.view) {
        for own in &view.rows {
            // The first run of a search has no rate: its cell is empty.
            let value = |key: &&str| {
                let place = view.sweep.vary.iter().position(|varied| varied.key == **key);
                place.and_then(|place| own.values.get(place)).cloned().unwrap_or_default()
            };
            let mut row = vec![view.sweep.id.clone()];
            row.extend(keys.iter().map(value));
            row.extend([own.throughput, own.low, own.high, own.p95_us, own.p99_us].map(maybe));
            row.push(own.failed.to_string());
            row.extend([own.valid, own.peak, own.knee].map(|mark| mark.to_string()));
            row.extend([own.runs.join(" "), own.missing.clone().unwrap_or_default()]);
            row.extend([maybe(own.queries_per_hour), own.below_frontier.to_string()]);
            row.push(own.throughput.map_or("", |_| own.run_verdict.word()).to_owned());
            out.row(&row);
        }
    }
    Ok(())
}

fn metrics(out: &mut Csv, report: &Reported) -> Result<()> {
    if report.comparisons.is_empty() && report.sweep_comparisons.is_empty() {
        return Err(Error::usage("metrics are those of a comparison")
            .hint("name what to compare with: --baseline RUN"));
    }
    out.row(&[
        "baseline", "run", "point", "metric", "unit", "before", "after", "change", "low", "high",
        "verdict",
    ]);
    for one in &report.comparisons {
        let names = [&one.baseline.name, &one.run.name].map(String::as_str);
        one.metrics.iter().for_each(|row| metric(out, names, "", row));
    }
    for one in &report.sweep_comparisons {
        let names = [&one.baseline.sweep, &one.run.sweep].map(String::as_str);
        for point in &one.points {
            let place = one.label(&point.values);
            point.metrics.iter().for_each(|row| metric(out, names, &place, row));
        }
    }
    Ok(())
}

fn ends(run: &Measurement) -> bool {
    run.record.result.as_ref().is_some_and(|result| !result.streams.is_empty())
}

/// Runs whose sessions come to an end by themselves, each with its result.
fn ended(report: &Reported) -> Result<Vec<(&str, &ResultRecord)>> {
    let runs = report.measurements().filter(|run| ends(run));
    let runs: Vec<_> = runs
        .filter_map(|run| Some((run.record.id.as_str(), run.record.result.as_ref()?)))
        .collect();
    if runs.is_empty() {
        return Err(Error::usage("no streams are part of this report")
            .hint("only runs of query streams have them: choose another --table"));
    }
    Ok(runs)
}

fn executions(out: &mut Csv, report: &Reported) -> Result<()> {
    out.row(&[
        "run",
        "session",
        "transaction",
        "sent_s",
        "took_s",
        "rows",
        "failed",
        "first_row_s",
        "plan",
        "temp_bytes",
        "temp_files",
        "temp_tables",
        "read_bytes",
        "cached_bytes",
        "read_rows",
    ]);
    for (id, result) in ended(report)? {
        for own in &result.executions {
            let plan = result.query_plans.iter().find(|plan| plan.transaction == own.transaction);
            let plan = plan.map_or("", |plan| &plan.hash);
            let work = own.work.unwrap_or_default();
            let count = |count: Option<u64>| count.map(|own| own.to_string()).unwrap_or_default();
            out.row(&[
                id,
                &(own.session + 1).to_string(),
                &own.transaction,
                &own.sent_s.to_string(),
                &own.took_s.to_string(),
                &own.rows.map(|rows| rows.to_string()).unwrap_or_default(),
                own.failed.as_deref().unwrap_or_default(),
                &maybe(own.first_row_s),
                plan,
                &count(work.temp_bytes),
                &count(work.temp_files),
                &count(work.temp_tables),
                &count(work.read_bytes),
                &count(work.cached_bytes),
                &count(work.read_rows),
            ]);
        }
    }
    Ok(())
}

fn streams(out: &mut Csv, report: &Reported) -> Result<()> {
    out.row(&[
        "run",
        "session",
        "good",
        "failed",
        "elapsed_s",
        "geometric_mean_s",
        "penalised_mean_s",
    ]);
    for (id, result) in ended(report)? {
        for own in &result.streams {
            out.row(&[
                id,
                &(own.session + 1).to_string(),
                &own.good.to_string(),
                &own.failed.to_string(),
                &own.elapsed_s.to_string(),
                &maybe(own.geometric_mean_s),
                &maybe(own.penalised_mean_s),
            ]);
        }
    }
    Ok(())
}

fn metric(out: &mut Csv, [baseline, run]: [&str; 2], point: &str, own: &MetricRow) {
    out.row(&[
        baseline,
        run,
        point,
        &own.name,
        own.unit,
        &maybe(own.baseline),
        &maybe(own.run),
        &maybe(own.change.map(|change| change.value)),
        &maybe(own.change.map(|change| change.low)),
        &maybe(own.change.map(|change| change.high)),
        &crate::compare::word(own.verdict).to_lowercase(),
    ]);
}

fn maybe(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Rows of cells.
#[derive(Default)]
struct Csv {
    text: String,
}

impl Csv {
    fn row(&mut self, cells: &[impl AsRef<str>]) {
        for (place, cell) in cells.iter().enumerate() {
            if place > 0 {
                self.text.push(',');
            }
            self.text.push_str(&csv_cell(cell.as_ref()));
        }
        self.text.push_str("\r\n");
    }
}
