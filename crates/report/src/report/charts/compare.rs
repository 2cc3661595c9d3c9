//! Charts of a comparison: changes with their intervals, and both sides over each other.
//!
//! Start reading at [`changes`].

use serde_json::{Value, json};

use super::timeline::{TRANSACTIONS, line, metric};
use super::{latency, short};
use crate::compare::{Comparison, word};
use crate::report::document::Chart;
use crate::{Measurement, Side};

/// The change of each metric with its interval.
pub(in crate::report) fn changes(place: usize, comparison: &Comparison) -> Option<Chart> {
    let rows: Vec<Value> = comparison
        .metrics
        .iter()
        .filter_map(|row| {
            let change = row.change?;
            Some(json!({
                "name": row.name,
                "value": short(change.value),
                "low": short(change.low),
                "high": short(change.high),
                "verdict": word(row.verdict),
            }))
        })
        .collect();
    (!rows.is_empty()).then(|| Chart {
        id: format!("changes-{place}"),
        kind: "changes",
        title: "Change against the baseline".into(),
        reading: "A line is the 95 % interval of a change. If it touches zero, chance explains the \
                  difference. More throughput is better; more latency is worse.",
        note: String::new(),
        data: json!({ "rows": rows }),
    })
}

/// The throughput of single runs over each other.
pub(in crate::report) fn throughput(sides: &[(&str, &Side)]) -> Option<Chart> {
    let runs: Vec<_> = singles(sides).filter(|(_, run)| !run.intervals.is_empty()).collect();
    let mut metrics = runs.iter().map(|(_, run)| metric(run.record.result.as_ref()));
    let first = metrics.next()?;
    // Figures of different workloads have no axis in common; their transactions do.
    let headline = first != TRANSACTIONS && metrics.all(|own| own == first);
    let metric = if headline { first } else { TRANSACTIONS.into() };
    let lines: Vec<Value> = runs
        .iter()
        .map(|(name, run)| json!({ "name": name, "line": line(run, headline) }))
        .collect();
    (lines.len() > 1).then(|| Chart {
        id: "over-throughput".into(),
        kind: "overThroughput",
        title: format!("Throughput of each, {metric}"),
        reading: "Lines that lie apart all the way differ; lines that cross only vary.",
        note: "Time counts from the start of the measured phase.".into(),
        data: json!({ "metric": metric, "runs": lines }),
    })
}

/// The percentile curves of single runs over each other.
pub(in crate::report) fn curves(sides: &[(&str, &Side)]) -> Option<Chart> {
    let runs: Vec<Value> = singles(sides)
        .filter(|(_, run)| !run.histograms.is_empty())
        .map(|(name, run)| {
            let kinds = latency::distributions(&run.histograms);
            let kinds: Vec<Value> = kinds.iter().map(latency::Distribution::latency_json).collect();
            json!({ "name": name, "kinds": kinds })
        })
        .collect();
    (runs.len() > 1).then(|| Chart {
        id: "over-curves".into(),
        kind: "overCurves",
        title: "Latency by percentile of each".into(),
        reading: "The lower curve is the faster one. Curves that part only on the right differ in \
                  rare slow transactions.",
        note: "A curve ends where fewer than 10 transactions lie beyond it.".into(),
        data: json!({ "runs": runs }),
    })
}

fn singles<'a>(
    sides: &'a [(&'a str, &'a Side)],
) -> impl Iterator<Item = (&'a str, &'a Measurement)> {
    sides.iter().filter_map(|(name, side)| Some((*name, side.single()?)))
}
