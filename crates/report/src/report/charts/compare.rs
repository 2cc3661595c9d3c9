//! Comparison charts: changes with confidence intervals, and the curves of all sides.
//!
//! Start reading at [`changes`].

use serde_json::{Value, json};
use tacho_analysis::{
    Attribution, Comparison, DRAWN_MAX, GroupEffect, Measurement, MetricRow, Overall, Side,
};
use tacho_core::units::counted;
use tacho_metrics::{Change, Verdict};

use super::timeline::{TRANSACTIONS, line, metric};
use super::{latency, short};
use crate::compare::word;
use crate::document::Chart;
use crate::words::minute;

/// Returns a chart of the change in each metric, with confidence intervals. The title names the sides.
pub(in crate::report) fn changes(
    place: usize,
    comparison: &Comparison,
    contrast: Option<String>,
) -> Option<Chart> {
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
        title: match contrast {
            Some(contrast) => format!("Change against the baseline: {contrast}"),
            None => "Change against the baseline".into(),
        },
        reading: "A line is the 95 % confidence interval of a change. If it touches zero, the difference may \
            be due to chance. More throughput is better; more latency is worse.",
        note: String::new(),
        data: json!({ "rows": rows }),
    })
}

/// Returns a chart that shows how much each group of changed parameters affected the throughput.
pub(in crate::report) fn groups_chart(attribution: &Attribution) -> Option<Chart> {
    let row = |group: &GroupEffect| {
        let verdict = match (group.found, group.change.value < 0.0) {
            (false, _) => Verdict::NoDifference,
            (true, false) => Verdict::Better,
            (true, true) => Verdict::Worse,
        };
        json!({
            "name": group.group.title,
            "value": short(group.change.value),
            "low": short(group.change.low),
            "high": short(group.change.high),
            "verdict": word(verdict),
        })
    };
    let rows: Vec<Value> = attribution.groups.iter().map(row).collect();
    (!rows.is_empty()).then(|| Chart {
        id: "groups".into(),
        kind: "changes",
        title: "Change in throughput for each group of differences".into(),
        reading: "A line is the 95 % confidence interval of a change. If it touches zero, the change may be \
            due to chance.",
        note: String::new(),
        data: json!({ "rows": rows }),
    })
}

/// Returns a chart of the throughput changes of many runs, in chronological order.
pub(in crate::report) fn overview(all: &[Comparison]) -> Option<Chart> {
    let mut drawn: Vec<&Comparison> =
        all.iter().filter(|comparison| throughput_of(comparison).is_some()).collect();
    drawn.sort_by(|a, b| a.run.started_at.cmp(&b.run.started_at));
    let rows: Vec<Value> = drawn
        .iter()
        .filter_map(|comparison| {
            let (row, change) = throughput_of(comparison)?;
            Some(json!({
                "name": comparison.run.name,
                "at": minute(&comparison.run.started_at),
                "value": short(change.value),
                "low": short(change.low),
                "high": short(change.high),
                // Do not show higher throughput as an improvement if latency became worse.
                "verdict": if comparison.overall == Overall::Mixed { "mixed" } else { word(row.verdict) },
            }))
        })
        .collect();
    let metric = all.first()?.metrics.first()?.name.clone();
    let missing = all.len() - rows.len();
    (!rows.is_empty()).then(|| Chart {
        id: "changes".into(),
        kind: "manyChanges",
        title: format!("Change in {metric} from the baseline, for each run"),
        reading: "Each point is a run with the 95 % confidence interval of its change, in chronological \
            order. Zero is the baseline: a change whose interval touches it may be due to chance. A lasting \
            step is a change in the system; single distant points are outliers.",
        note: match missing {
            0 => String::new(),
            some => format!(
                "{some} of {} are not drawn because they have no confidence interval; see the table below.",
                counted(all.len() as u64, "run")
            ),
        },
        data: json!({ "metric": metric, "rows": rows }),
    })
}

/// Returns the change in the first metric, if there is such a metric.
fn throughput_of(comparison: &Comparison) -> Option<(&MetricRow, Change)> {
    let row = comparison.metrics.first()?;
    Some((row, row.change?))
}

/// Returns a chart with one throughput line for each side that is a single run.
pub(in crate::report) fn throughput(sides: &[(&str, &Side)]) -> Option<Chart> {
    let all: Vec<_> = singles(sides).collect();
    let drawable = all.iter().filter(|(_, run)| !run.intervals.is_empty());
    let runs: Vec<_> = drawable.take(DRAWN_MAX).collect();
    let mut metrics = runs.iter().map(|(_, run)| metric(run.record.result.as_ref()));
    let first = metrics.next()?;
    // If the runs have different main metrics, draw transactions per second instead, so that all lines can share an
    // axis.
    let headline = first != TRANSACTIONS && metrics.all(|metric| metric == first);
    let metric = if headline { first } else { TRANSACTIONS.into() };
    let lines: Vec<Value> = runs
        .iter()
        .map(|(name, run)| json!({ "name": name, "line": line(run, headline) }))
        .collect();
    (lines.len() > 1).then(|| Chart {
        id: "over-throughput".into(),
        kind: "overThroughput",
        title: format!("Throughput of several runs, {metric}"),
        reading: "Lines that stay apart indicate a difference; lines that cross indicate mere variation.",
        note: format!(
            "Time is relative to the start of the measured phase.{}",
            not_drawn(all.len(), lines.len())
        ),
        data: json!({ "metric": metric, "runs": lines }),
    })
}

/// Returns a chart with one percentile curve for each side that is a single run.
pub(in crate::report) fn curves(sides: &[(&str, &Side)]) -> Option<Chart> {
    let all: Vec<_> = singles(sides).collect();
    let runs: Vec<Value> = all
        .iter()
        .filter(|(_, run)| !run.histograms.is_empty())
        .take(DRAWN_MAX)
        .map(|(name, run)| {
            let kinds = latency::distributions(&run.histograms);
            let kinds: Vec<Value> = kinds.iter().map(latency::Distribution::latency_json).collect();
            json!({ "name": name, "kinds": kinds })
        })
        .collect();
    (runs.len() > 1).then(|| Chart {
        id: "over-curves".into(),
        kind: "overCurves",
        title: "Latency percentiles of several runs".into(),
        reading: "The lower curve is the faster one. Curves that differ only on the right differ in rare, \
            slow transactions.",
        note: format!(
            "A curve ends at the latency that fewer than 10 transactions exceeded.{}",
            not_drawn(all.len(), runs.len())
        ),
        data: json!({ "runs": runs }),
    })
}

/// States how many runs the chart omits and where their results are.
fn not_drawn(all: usize, drawn: usize) -> String {
    match all - drawn {
        0 => String::new(),
        missing => format!(
            " {missing} of {} are not drawn: their results are in the table of all runs.",
            counted(all as u64, "run")
        ),
    }
}

fn singles<'a>(
    sides: &'a [(&'a str, &'a Side)],
) -> impl Iterator<Item = (&'a str, &'a Measurement)> {
    sides.iter().filter_map(|(name, side)| Some((*name, side.single()?)))
}
