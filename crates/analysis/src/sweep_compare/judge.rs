//! Many comparisons at once: verdicts that hold for all of them together.
//!
//! At 99 % one equal pair in a hundred seems to differ, and a sweep has many pairs. So each kind of
//! figure is a family whose p-values are adjusted by Holm's method ([`tacho_metrics::holm`]): the
//! chance of any false claim in a family stays below 5 %. Start reading at [`families`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_metrics::{Verdict, holm};

use super::{Ladder, PointComparison};
use crate::compare::MetricRow;

/// The chance of any false claim in a family, at most.
const FAMILY_WISE: f64 = 0.05;

/// What was tested together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Families {
    /// Method for adjusting p-values: always `holm`.
    pub method: &'static str,
    /// The chance of any false claim in a family, at most.
    pub error_rate: f64,
    /// Number of throughput changes, one per point.
    pub throughput: u64,
    /// Number of percentile changes, over all points.
    pub percentiles: u64,
    /// Number of peak changes, one per ladder.
    pub peaks: u64,
}

/// Takes back claims that do not hold for their whole family, or that are smaller than what equal
/// runs of either sweep have shown.
pub(super) fn families(
    points: &mut [PointComparison],
    ladders: &mut [Ladder],
    floors: [Option<f64>; 2],
) -> Families {
    let floor = floors.into_iter().flatten().fold(0.0, f64::max);
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

/// Judges a family again; gives how many changes are in it. A calibration knows the noise of the
/// throughput alone.
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
