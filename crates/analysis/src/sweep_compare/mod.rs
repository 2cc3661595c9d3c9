//! Comparison of two sweeps, point by point.
//!
//! Each pair of points is compared like two runs. Because some pairs differ by chance, all pairs are evaluated
//! together. Every omitted point has a note.
//!
//! Start reading at [`SweepComparison::of`].

mod conditions;
mod judge;
mod marks;
mod points;

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::{Error, Result};
use tacho_metrics::Verdict;
use tacho_store::sweep::{Found, FoundFor};

use crate::compare::{Basis, Measurement, MetricRow, Overall, queries_of_streams};
use crate::condition::GateOutcome;
use crate::sweep::{SweepView, label};

pub use conditions::SweepDifference;
pub use judge::{Families, over_workloads};
pub use marks::{Ladder, Mark, Marks};
pub use points::{PointComparison, Unmatched};

/// The value of the `format` field in the JSON of a sweep comparison.
const FORMAT: &str = "tacho-sweep-comparison";
/// The version of that format.
const VERSION: u32 = 1;

/// A sweep, along with the runs of its points.
#[derive(Clone, Debug)]
pub struct SweepSide {
    /// Name of the sweep as specified by the user.
    pub name: String,
    /// The sweep.
    pub view: SweepView,
    /// The runs of each row.
    pub runs: Vec<Vec<Measurement>>,
}

/// A comparison of two sweeps: both sides, the conditions that differ, and the outcome.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SweepComparison {
    /// Always `tacho-sweep-comparison`.
    pub format: &'static str,
    /// Version of the comparison format.
    pub version: u32,
    /// The first sweep.
    pub baseline: SweepFacts,
    /// The second sweep.
    pub run: SweepFacts,
    /// The settings whose values identify matching points.
    pub axes: Vec<String>,
    /// Conditions that differ, over all points.
    pub conditions: Vec<SweepDifference>,
    /// The way in which the spread was determined. It is `within_run` if a side has a single run at any of the
    /// points.
    pub basis: Basis,
    /// Mean changes over all points, with one row per metric and the throughput first; empty if there is only one
    /// point.
    pub overall: Vec<MetricRow>,
    /// The requested gate, along with its verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateOutcome>,
    /// Number of changes tested, and the method used to correct for multiple tests.
    pub families: Families,
    /// The points that both sweeps have measured, in the order of the baseline.
    pub points: Vec<PointComparison>,
    /// The points that cannot be compared, each with the reason.
    pub unmatched: Vec<Unmatched>,
    /// Comparison of the peaks and the knees.
    pub ladders: Vec<Ladder>,
}

/// A short form of one side of a sweep comparison.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SweepFacts {
    /// Name of the sweep as specified by the user.
    pub name: String,
    /// Sweep ID.
    pub sweep: String,
    /// Start in RFC 3339.
    pub started_at: String,
    /// Target name.
    pub target_name: String,
    /// The server's product and version, from the first run.
    pub server: String,
    /// Smallest change that the calibration can detect; present only if the sweep was calibrated.
    pub floor: Option<f64>,
    /// Highest rate that meets the threshold; present only if the sweep searched for it.
    pub found: Option<Found>,
    /// Highest rate for each combination of the other settings; empty if no other settings vary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_for: Vec<FoundFor>,
}

impl SweepComparison {
    /// Compares two sweeps.
    ///
    /// # Errors
    ///
    /// Returns an error if a condition that must be equal differs and `force` is false.
    pub fn of(baseline: &SweepSide, run: &SweepSide, force: bool) -> Result<Self> {
        let axes = axes(baseline, run, force)?;
        let matching = points::matched(&axes, [baseline, run], force)?;
        let floor = [baseline, run].map(floor_of);
        let mut ladders = marks::ladders([baseline, run], force);
        let (mut points, unmatched) = (matching.points, matching.unmatched);
        let families = judge::families(&mut points, &mut ladders, floor);
        let overall = judge::over_points(&points);
        let within = points.iter().any(|point| point.basis == Basis::WithinRun);
        Ok(Self {
            format: FORMAT,
            version: VERSION,
            baseline: SweepFacts::of(baseline),
            run: SweepFacts::of(run),
            conditions: conditions::merged(&points),
            basis: if within { Basis::WithinRun } else { Basis::BetweenRuns },
            axes,
            overall,
            gate: None,
            families,
            points,
            unmatched,
            ladders,
        })
    }

    /// Returns the verdict on each point's throughput. If one of the sweeps has no run for a point, the verdict is
    /// "not enough data".
    pub fn throughput(&self) -> impl Iterator<Item = Verdict> {
        let missing = self.unmatched.iter().filter(|unmatched| unmatched.in_both);
        let verdict = |point: &PointComparison| point.throughput().verdict;
        self.points.iter().map(verdict).chain(missing.map(|_| Verdict::NotEnoughData))
    }

    /// Returns the overall verdict, which is based on the gate, the mean change, or the individual points. It is
    /// "better" only if nothing is worse.
    pub fn overall(&self) -> Overall {
        if let Some(gate) = &self.gate {
            return Overall::of_gate(gate.verdict);
        }
        let any = |verdict| self.throughput().any(|found| found == verdict);
        let over_all = |verdict| self.overall.iter().any(|row| row.verdict == verdict);
        let worse = over_all(Verdict::Worse) || self.count(Verdict::Worse) > 0;
        let mean = self.overall.first().map(|row| row.verdict);
        match mean {
            Some(Verdict::Better) if worse => return Overall::Mixed,
            Some(Verdict::Better) => return Overall::Better,
            Some(Verdict::Worse) => return Overall::Worse,
            Some(_) if self.points.iter().all(|point| point.is_open) => {
                return Overall::of_latencies(&self.overall);
            }
            _ => {}
        }
        match (any(Verdict::Better), any(Verdict::Worse)) {
            (true, _) if worse => Overall::Mixed,
            (true, _) => Overall::Better,
            (false, true) => Overall::Worse,
            _ if mean == Some(Verdict::NoDifference) => Overall::NoDifference,
            _ if any(Verdict::Unstable) || self.points.is_empty() => Overall::NoWinner,
            _ if any(Verdict::Unclear) => Overall::Unclear,
            _ if any(Verdict::NoDifference) => Overall::NoDifference,
            _ => Overall::NoWinner,
        }
    }

    /// Returns the verdicts on the throughput and on queries that run alongside transactions.
    pub fn gate(&self) -> impl Iterator<Item = Verdict> {
        self.throughput()
            .chain(self.points.iter().flat_map(|point| queries_of_streams(&point.metrics)))
    }

    /// Returns the number of rows with this verdict, over all points.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows().filter(|row| row.verdict == verdict).count()
    }

    /// Describes a point by its values, as in `sessions 4`.
    pub fn label(&self, values: &[String]) -> String {
        label(&self.axes, values)
    }

    /// Returns the point with the largest significant change in throughput.
    pub fn most_changed(&self) -> Option<&PointComparison> {
        let claimed = self.points.iter().filter_map(|point| {
            let row = point.throughput();
            let claimed = matches!(row.verdict, Verdict::Better | Verdict::Worse);
            row.change.filter(|_| claimed).map(|change| (change.value.ln_1p().abs(), point))
        });
        claimed.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, point)| point)
    }

    fn rows(&self) -> impl Iterator<Item = &MetricRow> {
        self.points.iter().flat_map(|point| &point.metrics)
    }
}

/// Returns the smallest change in throughput that a sweep's identical runs can detect.
fn floor_of(side: &SweepSide) -> Option<f64> {
    side.view.calibration.as_ref()?.floor_of_throughput()
}

impl SweepFacts {
    fn of(side: &SweepSide) -> Self {
        let sweep = &side.view.sweep;
        let first = side.runs.iter().flatten().next();
        Self {
            name: side.name.clone(),
            sweep: sweep.id.clone(),
            started_at: sweep.started_at.clone(),
            target_name: sweep.target_name.clone(),
            server: first.map(|run| run.record.server.version.clone()).unwrap_or_default(),
            floor: floor_of(side),
            found: sweep.found.clone(),
            found_for: sweep.found_for.clone(),
        }
    }
}

/// Returns the settings that vary in both sweeps. Returns an error if the workloads or these settings differ.
fn axes(baseline: &SweepSide, run: &SweepSide, force: bool) -> Result<Vec<String>> {
    let [a, b] = [baseline, run].map(|side| &side.view.sweep);
    if a.id == b.id {
        return Err(Error::usage(format!("sweep {} is on both sides", a.id))
            .hint("specify a different sweep, such as sweep:latest~1 for the second most recent"));
    }
    let keys = |sweep: &tacho_store::sweep::SweepRecord| -> Vec<String> {
        sweep.vary.iter().map(|varied| varied.key.clone()).collect()
    };
    let [first, other] = [keys(a), keys(b)];
    let common: Vec<String> = first.iter().filter(|key| other.contains(key)).cloned().collect();
    let refused =
        |what: String| Err(Error::usage(format!("these sweeps cannot be compared: {what}")));
    if a.workload != b.workload && !force {
        return refused(format!("their workloads are {} and {}", a.workload, b.workload))
            .map_err(|error| error.hint("use --force to compare them anyway"));
    }
    if common.is_empty() {
        return refused(format!("one varies {}, the other {}", first.join(", "), other.join(", ")))
            .map_err(|error| error.hint("vary the same settings in both sweeps"));
    }
    if (common.len() < first.len() || common.len() < other.len()) && !force {
        return refused(format!("one varies {}, the other {}", first.join(", "), other.join(", ")))
            .map_err(|error| {
                error.hint(format!("use --force to match points by {} alone", common.join(", ")))
            });
    }
    Ok(common)
}
