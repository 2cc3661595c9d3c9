//! Time series charts: throughput, failures by kind, and latency.
//!
//! Start reading at [`throughput`].

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tacho_analysis::Measurement;
use tacho_store::record::ResultRecord;
use tacho_store::{IntervalRecord, IntervalTransaction};

use super::columns::{COLUMNS_MAX, Column, columns, note};
use super::events::events;
use super::latency::{Parts, percentiles};
use super::{at, short};
use crate::document::Chart;

/// Metric used for every workload that has throughput.
pub(super) const TRANSACTIONS: &str = "transactions/s";

/// Metric used for query streams, which have no throughput.
const GEOMETRIC_MEAN: &str = "geometric mean";

/// Returns the name of the metric that is drawn as throughput. If the run has no result yet, this
/// is the transaction rate.
pub(in crate::report) fn metric(result: Option<&ResultRecord>) -> String {
    let headline = result.and_then(ResultRecord::stated_headline);
    let streams = result.is_some_and(|result| !result.streams.is_empty());
    let usual = if streams { GEOMETRIC_MEAN } else { TRANSACTIONS };
    headline.map_or(usual.into(), |headline| headline.name.clone())
}

/// Returns a chart of throughput over time with the confidence interval of the mean.
pub(in crate::report) fn throughput(run: &Measurement) -> Option<Chart> {
    let columns = columns(&run.intervals);
    if columns.is_empty() {
        return None;
    }
    let result = run.record.result.as_ref();
    let metric = metric(result);
    let data = json!({
        "metric": metric,
        "from": each(&columns, Column::from),
        "to": each(&columns, Column::to),
        "value": each(&columns, |one| value(one, has_headline(run))),
        "per_s": each(&columns, |one| one.rate(|i| Some(i.throughput_per_s)).map(short)),
        "phases": phases(&run.intervals),
        "mean": result.map(estimate),
        "events": events(run),
    });
    Some(Chart {
        id: "throughput".into(),
        kind: "throughput",
        title: format!("Throughput, {metric}"),
        reading: "Higher is better, and a level line is good: a slope means that the throughput \
            was not steady; a dip means a disturbance. The shaded ramp-up is excluded from all \
            results; the band is the 95 % confidence interval of the mean.",
        note: format!("{} Transactions are counted by the client.", note(&run.intervals)),
        data,
    })
}

/// Returns a chart of the arrivals that wait for a free session, or `None` if none ever waited.
pub(in crate::report) fn backlog(run: &Measurement) -> Option<Chart> {
    let columns = columns(&run.intervals);
    let value =
        |column: &Column<'_>| column.rate(|one| one.backlog.map(|count| count as f64)).map(short);
    let values = each(&columns, value);
    values.iter().flatten().copied().find(|waiting| *waiting > 0.0)?;
    let data = json!({
        "metric": "arrivals waiting",
        "from": each(&columns, Column::from),
        "to": each(&columns, Column::to),
        "value": values,
        "per_s": each(&columns, |one| one.rate(|i| Some(i.throughput_per_s)).map(short)),
        "phases": phases(&run.intervals),
        "mean": Value::Null,
        "events": events(run),
    });
    Some(Chart {
        id: "backlog".into(),
        kind: "throughput",
        title: "Backlog: arrivals waiting for a free session".into(),
        reading: "Lower is better, and a level line is good: a line that rises until the end means \
            that the rate is higher than the system can sustain, so that the latencies mostly show \
            queuing.",
        note: note(&run.intervals),
        data,
    })
}

fn has_headline(run: &Measurement) -> bool {
    run.record.result.as_ref().is_some_and(|result| result.stated_headline().is_some())
}

/// Returns a run's throughput by column, for a chart of several runs.
pub(super) fn line(run: &Measurement, headline: bool) -> Value {
    let columns = columns(&run.intervals);
    // Times are relative to the start of the measured phase, so that runs with different ramp-up
    // times can be compared.
    let start = columns.iter().find(|one| one.phase() == "measure").map_or(0.0, Column::from);
    let measured: Vec<&Column<'_>> =
        columns.iter().filter(|one| one.phase() == "measure").collect();
    json!({
        "from": measured.iter().map(|one| at(one.from() - start)).collect::<Vec<f64>>(),
        "to": measured.iter().map(|one| at(one.to() - start)).collect::<Vec<f64>>(),
        "value": measured.iter().map(|one| value(one, headline)).collect::<Vec<_>>(),
    })
}

fn each<'a, T>(columns: &[Column<'a>], value: impl Fn(&Column<'a>) -> T) -> Vec<T> {
    columns.iter().map(value).collect()
}

/// Returns a column's throughput in the unit of the main metric, or in transactions per second.
fn value(column: &Column<'_>, headline: bool) -> Option<f64> {
    let per_second = |one: &IntervalRecord| Some(one.throughput_per_s);
    let per_minute = |one: &IntervalRecord| one.headline_per_minute;
    if headline { column.rate(per_minute) } else { column.rate(per_second) }.map(short)
}

/// Returns the main result with a confidence interval. In relative terms, the interval is as wide
/// as that of the transaction rate.
fn estimate(result: &ResultRecord) -> Value {
    let figure =
        result.stated_headline().map_or(result.throughput_per_s, |headline| headline.per_minute);
    let interval = result.interval_95.filter(|interval| interval.value > 0.0);
    let scaled = |end: fn(&tacho_store::record::Estimate) -> f64| {
        interval.as_ref().map(|interval| short(figure * end(interval) / interval.value))
    };
    json!({ "value": short(figure), "low": scaled(|interval| interval.low), "high": scaled(|interval| interval.high) })
}

/// Returns the start and end of each phase.
pub(super) fn phases(intervals: &[IntervalRecord]) -> Value {
    let phases = intervals.chunk_by(|a, b| a.phase == b.phase);
    let named = phases.map(|phase| {
        let column = Column { intervals: phase };
        json!({ "phase": column.phase(), "from": column.from(), "to": column.to() })
    });
    named.collect()
}

/// Returns a chart of failures by kind over time, or `None` without failures.
pub(in crate::report) fn failures(run: &Measurement) -> Option<Chart> {
    let columns = columns(&run.intervals);
    let kinds: BTreeSet<String> =
        run.intervals.iter().flat_map(|one| kinds(one).into_keys()).collect();
    if kinds.is_empty() {
        return None;
    }
    let counts: Vec<BTreeMap<String, u64>> = columns.iter().map(failed).collect();
    let series: Vec<Vec<u64>> = kinds
        .iter()
        .map(|kind| {
            counts
                .iter()
                .map(|counts_by_kind| counts_by_kind.get(kind).copied().unwrap_or(0))
                .collect()
        })
        .collect();
    Some(Chart {
        id: "failures".into(),
        kind: "failures",
        title: "Failed transactions, by kind".into(),
        reading: "Bursts indicate an event; an even distribution indicates contention. Failures are excluded \
            from latencies and throughput.",
        note: note(&run.intervals),
        data: json!({
            "from": each(&columns, Column::from),
            "to": each(&columns, Column::to),
            "phases": phases(&run.intervals),
            "kinds": kinds.iter().map(|kind| kind.replace('_', " ")).collect::<Vec<_>>(),
            "counts": series,
        }),
    })
}

fn failed(column: &Column<'_>) -> BTreeMap<String, u64> {
    let mut sum = BTreeMap::new();
    for (kind, count) in column.intervals.iter().flat_map(kinds) {
        *sum.entry(kind).or_default() += count;
    }
    sum
}

/// Returns an interval's failures by kind. Older records contain only the total.
fn kinds(interval: &IntervalRecord) -> BTreeMap<String, u64> {
    let all = &interval.totals;
    match (all.failed, all.failed_by_kind.is_empty()) {
        (0, _) => BTreeMap::new(),
        (failed, true) => BTreeMap::from([("kind not kept".into(), failed)]),
        (_, false) => all.failed_by_kind.clone(),
    }
}

/// Returns a chart of the latency percentiles over time for each transaction type.
pub(in crate::report) fn latency(run: &Measurement) -> Option<Chart> {
    let parts = Parts::of(&run.histograms);
    let is_complete = run.intervals.len() <= COLUMNS_MAX;
    let (mut data, note) = match (is_complete, parts.is_empty()) {
        (true, _) => (from_intervals(run)?, note(&run.intervals)),
        (false, false) => (percentiles(&parts), parts.note()),
        (false, true) => return None,
    };
    data["events"] = events(run).into();
    Some(Chart {
        id: "latency".into(),
        kind: "latency",
        title: "Latency over time".into(),
        reading: "Lower is better; the axis is logarithmic. Half of the transactions are below \
                  p50, one in a hundred is above p99; the maximum is the slowest one.",
        note: format!(
            "{note} A gap means that there were too few transactions for the percentile, which requires 10 slower transactions."
        ),
        data,
    })
}

fn from_intervals(run: &Measurement) -> Option<Value> {
    let columns = columns(&run.intervals);
    let first = columns.first()?.longest()?;
    let mut names: Vec<&str> = vec!["all"];
    names.extend(first.transactions.iter().map(|transaction| transaction.name.as_str()));
    let kinds: Vec<Value> = names.iter().map(|name| lines(&columns, name)).collect();
    Some(json!({
        "from": each(&columns, Column::from),
        "to": each(&columns, Column::to),
        "phases": phases(&run.intervals),
        "kinds": kinds,
    }))
}

fn lines(columns: &[Column<'_>], name: &str) -> Value {
    let line = |value: fn(&IntervalTransaction) -> Option<f64>| -> Vec<Option<f64>> {
        each(columns, |column| value(named(column.longest()?, name)?).map(short))
    };
    let max = each(columns, |column| {
        let all = column.intervals.iter().filter_map(|one| named(one, name)?.max_us);
        all.max_by(f64::total_cmp).map(short)
    });
    json!({
        "name": name,
        "p50": line(|kind| kind.p50_us),
        "p95": line(|kind| kind.p95_us),
        "p99": line(|kind| kind.p99_us),
        "max": max,
    })
}

fn named<'a>(interval: &'a IntervalRecord, name: &str) -> Option<&'a IntervalTransaction> {
    match name {
        "all" => Some(&interval.totals),
        _ => interval.transactions.iter().find(|transaction| transaction.name == name),
    }
}
