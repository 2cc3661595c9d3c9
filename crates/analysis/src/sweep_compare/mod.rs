//! A sweep held against another, point by point.
//!
//! Each pair of points is compared as two runs are. Of many pairs some differ by chance, so they are
//! judged as one family; and no point is left out without a word. Start reading at
//! [`SweepComparison::of`].

mod conditions;
mod judge;
mod marks;
mod points;

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::{Error, Result};
use tacho_metrics::Verdict;
use tacho_store::sweep::Found;

use crate::compare::{Basis, Measurement, MetricRow, Overall, queries_of_streams};
use crate::sweep::{SweepView, label};

pub use conditions::SweepDifference;
pub use judge::Families;
pub use marks::{Ladder, Mark, Marks};
pub use points::{PointComparison, Unmatched};

/// Value of `format` of a comparison of sweeps as JSON.
const FORMAT: &str = "tacho-sweep-comparison";
/// Version of that format.
const VERSION: u32 = 1;

/// A sweep with the runs of its points.
#[derive(Clone, Debug)]
pub struct SweepSide {
    /// As the user named it.
    pub name: String,
    /// The sweep.
    pub view: SweepView,
    /// The runs of each of its rows.
    pub runs: Vec<Vec<Measurement>>,
}

/// What was compared, under which conditions, and what came out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SweepComparison {
    /// Always `tacho-sweep-comparison`.
    pub format: &'static str,
    /// Version of this format.
    pub version: u32,
    /// The first sweep.
    pub baseline: SweepFacts,
    /// The second sweep.
    pub run: SweepFacts,
    /// The settings by whose values points were matched.
    pub axes: Vec<String>,
    /// Conditions that are not the same, over all points.
    pub conditions: Vec<SweepDifference>,
    /// Where the spread comes from; `within_run` if that is so at any point.
    pub basis: Basis,
    /// How often chance was given an opportunity, and what was done about it.
    pub families: Families,
    /// The points that both have measured, in the order of the baseline.
    pub points: Vec<PointComparison>,
    /// The points that cannot be compared, and why.
    pub unmatched: Vec<Unmatched>,
    /// Peak against peak and knee against knee.
    pub ladders: Vec<Ladder>,
}

/// A sweep as it is named in the answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SweepFacts {
    /// As the user named it.
    pub name: String,
    /// Id of the sweep.
    pub sweep: String,
    /// Start in RFC 3339.
    pub started_at: String,
    /// Name of the target.
    pub target_name: String,
    /// The server, as its first run says.
    pub server: String,
    /// The smallest change that its equal runs could tell from none, if it was calibrated.
    pub floor: Option<f64>,
    /// The highest rate at which a limit holds, if it was searched for.
    pub found: Option<Found>,
}

impl SweepComparison {
    /// Compares two sweeps. What must be equal and is not is an error unless `force`.
    pub fn of(baseline: &SweepSide, run: &SweepSide, force: bool) -> Result<Self> {
        let axes = axes(baseline, run, force)?;
        let matching = points::matched(&axes, [baseline, run], force)?;
        let floor = [baseline, run].map(|side| side.view.calibration.as_ref().map(|own| own.floor));
        let mut ladders = marks::ladders([baseline, run], force);
        let (mut points, unmatched) = (matching.points, matching.unmatched);
        let families = judge::families(&mut points, &mut ladders, floor);
        let within = points.iter().any(|point| point.basis == Basis::WithinRun);
        Ok(Self {
            format: FORMAT,
            version: VERSION,
            baseline: SweepFacts::of(baseline),
            run: SweepFacts::of(run),
            conditions: conditions::merged(&points),
            basis: if within { Basis::WithinRun } else { Basis::BetweenRuns },
            axes,
            families,
            points,
            unmatched,
            ladders,
        })
    }

    /// The judgements on the throughput, one for each point; a point that both sweeps were to measure
    /// and one did not cannot be judged.
    pub fn throughput(&self) -> impl Iterator<Item = Verdict> {
        let missing = self.unmatched.iter().filter(|own| own.in_both);
        let verdict = |point: &PointComparison| point.throughput().verdict;
        self.points.iter().map(verdict).chain(missing.map(|_| Verdict::NotEnoughData))
    }

    /// The judgement of all points as a whole: better only if nothing is worse at any of them.
    pub fn overall(&self) -> Overall {
        let any = |verdict| self.throughput().any(|own| own == verdict);
        let worse = any(Verdict::Worse) || self.count(Verdict::Worse) > 0;
        match (any(Verdict::Better), any(Verdict::Worse)) {
            (true, _) if worse => Overall::Mixed,
            (true, _) => Overall::Better,
            (false, true) => Overall::Worse,
            _ if any(Verdict::Unstable) || self.points.is_empty() => Overall::NoWinner,
            _ if any(Verdict::Unclear) => Overall::Unclear,
            _ if any(Verdict::NoDifference) => Overall::NoDifference,
            _ => Overall::NoWinner,
        }
    }

    /// The judgements of a gate for the throughput: on these, and on the queries of streams next to
    /// transactions.
    pub fn gate(&self) -> impl Iterator<Item = Verdict> {
        self.throughput().chain(self.points.iter().flat_map(|own| queries_of_streams(&own.metrics)))
    }

    /// How many rows of all points have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows().filter(|row| row.verdict == verdict).count()
    }

    /// A point by its values: `sessions 4`.
    pub fn label(&self, values: &[String]) -> String {
        label(&self.axes, values)
    }

    /// The point whose throughput changed most, of those where a change is claimed.
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
            floor: side.view.calibration.as_ref().map(|own| own.floor),
            found: sweep.found.clone(),
        }
    }
}

/// What both vary. Sweeps of other work, or along other axes, have no points in common.
fn axes(baseline: &SweepSide, run: &SweepSide, force: bool) -> Result<Vec<String>> {
    let [a, b] = [baseline, run].map(|side| &side.view.sweep);
    if a.id == b.id {
        return Err(Error::usage(format!("sweep {} is on both sides", a.id))
            .hint("name another one: sweep:latest~1 is the one before the latest"));
    }
    let keys = |sweep: &tacho_store::sweep::SweepRecord| -> Vec<String> {
        sweep.vary.iter().map(|varied| varied.key.clone()).collect()
    };
    let [own, other] = [keys(a), keys(b)];
    let common: Vec<String> = own.iter().filter(|key| other.contains(key)).cloned().collect();
    let refused =
        |what: String| Err(Error::usage(format!("these sweeps cannot be compared: {what}")));
    if a.workload != b.workload && !force {
        return refused(format!("their workloads are {} and {}", a.workload, b.workload))
            .map_err(|error| error.hint("--force compares them anyway and says so"));
    }
    if common.is_empty() {
        return refused(format!("one varies {}, the other {}", own.join(", "), other.join(", ")))
            .map_err(|error| error.hint("sweep the same settings in both"));
    }
    if (common.len() < own.len() || common.len() < other.len()) && !force {
        return refused(format!("one varies {}, the other {}", own.join(", "), other.join(", ")))
            .map_err(|error| {
                error.hint(format!("--force matches their points by {} alone", common.join(", ")))
            });
    }
    Ok(common)
}
