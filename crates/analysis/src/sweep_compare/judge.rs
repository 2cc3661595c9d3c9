//! Verdicts that account for the number of comparisons made at the same time.
//!
//! A sweep compares many pairs of points. If each pair were tested at the 99 % level, one in a hundred identical
//! pairs would seem to differ. The changes in a kind of metric are therefore tested together at 1 %, with p-values
//! adjusted by Holm's method ([`tacho_metrics::holm`]).
//!
//! Start reading at [`families`] and [`over_points`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_metrics::{
    Change, Direction, Effect, FAMILY_WISE, POINTS_BY_SPREAD, Verdict, holm, moderated,
    overall_effect,
};

use super::{Ladder, PointComparison, SweepComparison};
use crate::compare::MetricRow;

/// The groups of changes that were tested together, so that chance alone rarely produces a significant change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Families {
    /// Method used to adjust p-values, which is always `holm`.
    pub method: &'static str,
    /// Nominal probability that at least one of the claims within a family is false.
    pub error_rate: f64,
    /// Number of changes in throughput, one per point.
    pub throughput: u64,
    /// Number of changes in percentiles, over all points.
    pub percentiles: u64,
    /// Number of changes in peaks, one per ladder.
    pub peaks: u64,
}

/// Evaluates all points again, using variances estimated from all of them. A change counts only if it is significant
/// and exceeds the calibrated noise.
pub(super) fn families(
    points: &mut [PointComparison],
    ladders: &mut [Ladder],
    floors: [Option<f64>; 2],
) -> Families {
    let floor = floors.into_iter().flatten().fold(0.0, f64::max);
    for (name, ..) in names(points) {
        moderate(points, &name);
    }
    let peaks = ladders.iter_mut().filter_map(|ladder| ladder.peak.throughput.as_mut()).collect();
    let (mut throughput, mut percentiles) = (Vec::new(), Vec::new());
    for point in points {
        if let Some((first, others)) = point.metrics.split_first_mut() {
            throughput.push(first);
            percentiles.extend(others);
        }
    }
    Families {
        method: "holm",
        error_rate: FAMILY_WISE,
        throughput: judge(throughput, floor),
        percentiles: judge(percentiles, 0.0),
        peaks: judge(peaks, floor),
    }
}

/// Returns the metrics of the first point. All points list their metrics in this order.
fn names(points: &[PointComparison]) -> Vec<(String, &'static str, Direction)> {
    let first = points.first().map_or(&[][..], |point| &point.metrics);
    first.iter().map(|row| (row.name.clone(), row.unit, row.good)).collect()
}

/// Replaces the variance of each point's change with a value closer to the metric's mean variance, because a variance
/// estimated from few runs is unreliable.
fn moderate(points: &mut [PointComparison], name: &str) {
    let rows = points.iter_mut().flat_map(|point| &mut point.metrics);
    let mut rows: Vec<&mut MetricRow> = rows
        .filter(|row| row.name == name && row.verdict != Verdict::Unstable)
        .filter(|row| row.effect.as_ref().is_some_and(Effect::is_repeated))
        .collect();
    let effects: Vec<Effect> = rows.iter().filter_map(|row| row.effect.clone()).collect();
    let means = moderated(&effects.iter().collect::<Vec<_>>());
    for (row, mean) in rows.iter_mut().zip(means) {
        row.change = mean.map(Change::of_logarithm);
        row.verdict = Verdict::of(row.change, row.good);
    }
}

/// Tests changes of the same kind again, this time together, and returns their number. The calibrated noise applies
/// only to throughput.
fn judge(rows: Vec<&mut MetricRow>, floor: f64) -> u64 {
    let mut rows: Vec<_> =
        rows.into_iter().filter_map(|row| row.change.map(|change| (change, row))).collect();
    let p: Vec<f64> = rows.iter().map(|(change, _)| change.p).collect();
    for ((change, row), adjusted) in rows.iter_mut().zip(holm(&p)) {
        row.adjusted_p = Some(adjusted);
        let claimed = matches!(row.verdict, Verdict::Better | Verdict::Worse);
        if claimed && (adjusted > FAMILY_WISE || change.value.abs() < floor) {
            row.verdict = Verdict::Unclear;
        }
    }
    rows.len() as u64
}

/// Returns the mean change of each metric over all points, or nothing if there is only one point. The throughput
/// is tested separately, at the 95 % level.
pub(super) fn over_points(points: &[PointComparison]) -> Vec<MetricRow> {
    if points.len() < 2 {
        return Vec::new();
    }
    let named = names(points).into_iter().enumerate();
    let row = |(place, (name, unit, good)): (usize, (String, &'static str, Direction))| {
        let at_points =
            points.iter().map(|point| point.metrics.iter().find(|row| row.name == name));
        let rows = at_points.collect::<Option<Vec<&MetricRow>>>()?;
        let change = overall_effect(&effects(&rows)?).map(Change::of_logarithm);
        let verdict = match place {
            _ if is_unstable(&rows) => Verdict::Unstable,
            0 => Verdict::of_one(change, good),
            _ => Verdict::of(change, good),
        };
        Some(MetricRow {
            name,
            unit,
            good,
            baseline: geometric_mean(rows.iter().map(|row| row.baseline)),
            run: geometric_mean(rows.iter().map(|row| row.run)),
            change,
            verdict,
            adjusted_p: None,
            effect: None,
        })
    };
    named.filter_map(row).collect()
}

/// Returns the mean change in throughput over all points of several workloads without a fixed arrival rate. At
/// least two such workloads are needed.
pub fn over_workloads(comparisons: &[&SweepComparison]) -> Option<MetricRow> {
    let is_closed =
        |comparison: &&&SweepComparison| comparison.points.iter().any(|point| !point.is_open);
    let closed: Vec<&&SweepComparison> = comparisons.iter().filter(is_closed).collect();
    if closed.len() < 2 {
        return None;
    }
    let points = closed.iter().flat_map(|comparison| &comparison.points);
    let rows: Vec<&MetricRow> = points.map(PointComparison::throughput).collect();
    let change = overall_effect(&effects(&rows)?).map(Change::of_logarithm);
    let verdict =
        if is_unstable(&rows) { Verdict::Unstable } else { Verdict::of_one(change, Direction::Up) };
    let (name, unit, good) = ("throughput".into(), "per_s", Direction::Up);
    let (baseline, run, adjusted_p, effect) = (None, None, None, None);
    Some(MetricRow { name, unit, good, baseline, run, change, verdict, adjusted_p, effect })
}

/// Returns the measured difference of each row, or `None` if any row lacks it.
fn effects<'a>(rows: &[&'a MetricRow]) -> Option<Vec<&'a Effect>> {
    rows.iter().map(|row| row.effect.as_ref()).collect()
}

/// Returns true if one of the rows is UNSTABLE and too few other rows exist to make up for it in the mean.
fn is_unstable(rows: &[&MetricRow]) -> bool {
    rows.len() < POINTS_BY_SPREAD && rows.iter().any(|row| row.verdict == Verdict::Unstable)
}

fn geometric_mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let logs: Vec<f64> = values.map(|value| value.map(f64::ln)).collect::<Option<_>>()?;
    Some((logs.iter().sum::<f64>() / logs.len() as f64).exp())
}
