//! A sweep and its results, with one row per combination of values. The peak and the knee are marked.
//!
//! Start reading at [`SweepView::of`].

mod factors;
mod growth;
mod notices;
mod row;
mod search;

use schemars::JsonSchema;
use serde::Serialize;
use tacho_metrics::Direction;
use tacho_store::record::{Record, ResultRecord};
use tacho_store::sweep::{Point, SweepRecord};

pub use factors::{LevelChange, SettingEffect};
pub use growth::{DataGrowth, TableGrowth};
pub use notices::{RowNotice, warned};
pub use row::{Lead, SweepRow, label};
pub use search::{BrokenWindow, ChosenSessions, HeadroomWindow, Search};

use crate::calibration::Calibration;
use crate::compare::MetricRow;
use crate::limit::Limit;
use crate::metric::Metric;
use crate::words::clean;
use growth::RunData;
use row::{against_the_first, mark, mark_frontier};

/// Name of the throughput metric for workloads without a main metric.
const PER_SECOND: &str = "transactions/s";

/// A sweep, along with the results of its runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SweepView {
    /// The sweep.
    pub sweep: SweepRecord,
    /// Name of the throughput metric, such as `NOPM`.
    pub metric: String,
    /// One row for each combination of values, in the given order.
    pub rows: Vec<SweepRow>,
    /// Effects of several settings that vary together; empty unless every planned combination was measured.
    pub effects: Vec<SettingEffect>,
    /// The searches for the highest rate, one for each combination of the other settings. Searches that have not
    /// measured a rate yet are omitted.
    pub searches: Vec<Search>,
    /// The calibration performed before the sweep, if there was one.
    pub calibration: Option<Calibration>,
    /// Growth of each target's data over the runs. Small growth is omitted.
    pub growth: Vec<DataGrowth>,
}

impl SweepView {
    /// Collects the results of a sweep. `find` returns the record for a run ID.
    pub fn of(sweep: SweepRecord, find: impl Fn(&str) -> Option<Record>) -> Self {
        let mut metric = PER_SECOND.to_owned();
        let mut rows: Vec<SweepRow> = Vec::new();
        let mut equal: Vec<EqualRun> = Vec::new();
        let mut windows: Vec<(&Point, Record)> = Vec::new();
        let mut data: Vec<RunData> = Vec::new();
        for point in &sweep.points {
            let record = point.run.as_deref().and_then(&find);
            data.extend(record.as_ref().and_then(RunData::of));
            if let Some(side) = point.equal_side {
                let repetition = point.repetition;
                equal.extend(record.map(|record| EqualRun { repetition, side, record }));
                continue;
            }
            let result = record.as_ref().and_then(|record| record.result.as_ref());
            let limit = record.as_ref().and_then(Limit::of);
            let is_same =
                |row: &SweepRow| row.values == point.values && row.headroom == point.headroom;
            let at = rows.iter().position(is_same).unwrap_or_else(|| {
                rows.push(SweepRow::new(point));
                rows.len() - 1
            });
            if let Some(headline) = result.and_then(ResultRecord::stated_headline) {
                metric.clone_from(&headline.name);
            }
            rows[at].add(point, result, limit);
            if let Some(limit) = sweep.searched() {
                if point.values.len() == sweep.vary.len() {
                    rows[at].add_window(limit, result);
                }
                windows.extend(record.map(|record| (point, record)));
            }
        }
        rows.iter_mut().for_each(SweepRow::spread);
        if rows.iter().any(|row| row.queries_per_hour.is_some()) {
            mark_frontier(&mut rows);
        } else if sweep.searched().is_none() {
            mark(&mut rows);
        }
        against_the_first(&mut rows);
        let calibration = calibration(&sweep, &equal);
        if let Some(calibration) = &calibration {
            for row in &mut rows {
                row.respect(calibration);
            }
        }
        let effects = factors::effects(&sweep, &rows);
        let searches = Search::of(&sweep, &windows);
        let growth = growth::growth(data);
        Self { sweep, metric, rows, effects, searches, calibration, growth }
    }

    /// Returns the number of repetitions of each combination.
    pub fn repeats(&self) -> u32 {
        repeats(&self.sweep)
    }

    /// Returns the noise of a run's throughput, estimated from repetitions, or `None` if no combination was repeated.
    pub fn noise(&self) -> Option<f64> {
        let (squares, freedom) = self
            .rows
            .iter()
            .filter_map(SweepRow::deviations)
            .fold((0.0, 0.0), |sums, row| (sums.0 + row.0, sums.1 + row.1));
        (freedom > 0.0).then(|| (squares / freedom).sqrt())
    }

    /// Returns the number of runs that were performed.
    pub fn runs(&self) -> u64 {
        self.sweep.points.iter().filter(|point| point.run.is_some()).count() as u64
    }

    /// Returns the name of the first combination. Also returns the names of the other combinations, each with its
    /// comparison with the first.
    pub fn against_the_first(&self) -> (String, Vec<(String, MetricRow)>) {
        let name = |row: &SweepRow| {
            let pairs = self.sweep.vary.iter().zip(&row.values);
            let words = pairs.map(|(varied, value)| clean(&format!("{} {value}", varied.key)));
            words.collect::<Vec<_>>().join(", ")
        };
        let Some((first, others)) = self.rows.split_first() else { return Default::default() };
        let against_first = |row: &SweepRow| {
            let unit = if self.metric == PER_SECOND { "per_s" } else { "per_minute" };
            Some(MetricRow {
                name: if unit == "per_s" { "throughput".into() } else { self.metric.clone() },
                unit,
                good: Direction::Up,
                baseline: first.throughput,
                run: row.throughput,
                change: Some(row.change?),
                verdict: row.verdict?,
                adjusted_p: None,
                effect: None,
            })
        };
        let changes = others.iter().filter_map(|row| Some((name(row), against_first(row)?)));
        (name(first), changes.collect())
    }

    /// Returns true if each row has two throughputs, one of transactions and one of the queries that run alongside
    /// them.
    pub fn is_frontier(&self) -> bool {
        self.rows.iter().any(|row| row.queries_per_hour.is_some())
    }
}

fn repeats(sweep: &SweepRecord) -> u32 {
    let varied = sweep.points.iter().filter(|point| point.equal_side.is_none());
    varied.map(|point| point.repetition).max().unwrap_or(1)
}

/// A run on one of the two sides of a calibration. Both sides have identical settings.
struct EqualRun {
    repetition: u32,
    /// Number of the side, 1 or 2.
    side: u32,
    record: Record,
}

/// Computes the calibration of a sweep from pairs of identical runs, using the metric that the sweep compares.
fn calibration(sweep: &SweepRecord, equal: &[EqualRun]) -> Option<Calibration> {
    let asked = sweep.calibration.as_ref()?;
    let first = &equal.first()?.record;
    // If the arrival rate is fixed, the throughput is fixed too, so compare the p95 instead.
    let is_open = first.result.as_ref().is_some_and(|result| result.arrivals.is_some());
    let name = asked.metric.as_deref().or(is_open.then_some("p95"));
    let metric = Metric::parse(name, first).ok()?;
    let name = metric.name();
    let name = name.strip_prefix("all ").unwrap_or(&name).to_owned();
    let names = (name, metric.is_throughput());
    Calibration::of(names, &equal_pairs(equal, &metric), repeats(sweep), asked.wanted)
}

/// Returns the throughputs of both sides for each repetition that measured both.
fn equal_pairs(equal: &[EqualRun], metric: &Metric) -> Vec<(f64, f64)> {
    let side = |side| equal.iter().filter(move |run| run.side == side);
    let value = |run: &EqualRun| metric.figure(run.record.result.as_ref()?);
    let pair = |first: &EqualRun| {
        let second = side(2).find(|run| run.repetition == first.repetition)?;
        Some((value(first)?, value(second)?))
    };
    side(1).filter_map(pair).collect()
}
