//! Comparison of peaks and knees, for each ladder that exists in both sweeps.
//!
//! Start reading at [`ladders`].

use schemars::JsonSchema;
use serde::Serialize;

use super::SweepSide;
use super::points::side_at;
use crate::compare::{Comparison, MetricRow};
use crate::sweep::SweepRow;

/// A series of points that differ only in the last value, along with the same points of the other sweep.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Ladder {
    /// Keys and values of the settings that are the same for all points of the ladder; empty if only one setting
    /// varied.
    pub series: Vec<(String, String)>,
    /// The setting that varies along the ladder.
    pub axis: String,
    /// The points with the highest throughput.
    pub peak: Marks,
    /// The knees, which are the first points with 95 % of the highest throughput.
    pub knee: Marks,
}

/// A marked point in both sweeps.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Marks {
    /// The point of the baseline.
    pub baseline: Mark,
    /// The point of the other sweep.
    pub run: Mark,
    /// Comparison of the two throughputs; absent if they cannot be compared.
    pub throughput: Option<MetricRow>,
}

/// A marked point.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Mark {
    /// Value along the ladder.
    pub at: String,
    /// Throughput.
    pub throughput: Option<f64>,
    /// The 95th percentile of the latency over all transactions. If there are several runs, this is the highest one.
    pub p95_us: Option<f64>,
}

/// Returns the ladders that exist in both sweeps and vary the same setting.
pub(super) fn ladders(sides: [&SweepSide; 2], force: bool) -> Vec<Ladder> {
    let axis = |side: &SweepSide| side.view.sweep.vary.last().map(|varied| varied.key.clone());
    let Some(axis) = axis(sides[0]).filter(|key| axis(sides[1]).as_ref() == Some(key)) else {
        return Vec::new();
    };
    let peaks = [marked(sides[0], |row| row.peak), marked(sides[1], |row| row.peak)];
    let knees = [marked(sides[0], |row| row.knee), marked(sides[1], |row| row.knee)];
    let ladder = |(series, place): &(Series, usize)| {
        let same = |all: &[(Series, usize)]| {
            all.iter().find(|(values, _)| values == series).map(|(_, place)| *place)
        };
        let peak = [*place, same(&peaks[1])?];
        let knee = [same(&knees[0])?, same(&knees[1])?];
        Some(Ladder {
            series: series.clone(),
            axis: axis.clone(),
            peak: marks(sides, peak, force),
            knee: marks(sides, knee, force),
        })
    };
    peaks[0].iter().filter_map(ladder).collect()
}

type Series = Vec<(String, String)>;

/// Returns the rows for which `is` returns true, each with the settings that identify its series.
fn marked(side: &SweepSide, is: fn(&SweepRow) -> bool) -> Vec<(Series, usize)> {
    let keys = &side.view.sweep.vary;
    let series = |row: &SweepRow| {
        let values = row.values.split_last().map_or(&[][..], |(_, others)| others);
        let pairs =
            keys.iter().zip(values).map(|(varied, value)| (varied.key.clone(), value.clone()));
        let mut series: Series = pairs.collect();
        // Two sweeps may specify the same settings in a different order.
        series.sort();
        series
    };
    let rows = side.view.rows.iter().enumerate().filter(|(_, row)| is(row));
    rows.map(|(place, row)| (series(row), place)).collect()
}

fn marks(sides: [&SweepSide; 2], places: [usize; 2], force: bool) -> Marks {
    let mark = |side: &SweepSide, place: usize| {
        let row = &side.view.rows[place];
        Mark {
            at: row.values.last().cloned().unwrap_or_default(),
            throughput: row.throughput,
            p95_us: row.p95_us,
        }
    };
    // Ignore errors: if these runs cannot be compared, the comparison of their points has already reported the
    // reason.
    let both = Comparison::of(&side_at(sides[0], places[0]), &side_at(sides[1], places[1]), force);
    Marks {
        baseline: mark(sides[0], places[0]),
        run: mark(sides[1], places[1]),
        throughput: both.ok().and_then(|comparison| comparison.metrics.into_iter().next()),
    }
}
