//! Compares saved runs with a baseline run, or saved sweeps with a baseline sweep.
//!
//! Start reading at [`compare`].

use tacho_analysis::{
    Baseline, Comparison, Gate, GateVerdict, Measurement, Side, SweepComparison, SweepSide, Trend,
};
use tacho_core::{Error, Result};
use tacho_metrics::Verdict;
use tacho_store::{Run, read_histograms, read_intervals};

use crate::subject::{Subjects, sides, subjects};
use crate::{Context, Exit};

/// The condition under which a comparison fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Any metric is worse.
    Regression,
    /// The headline metric is worse, or so is the throughput of the query streams that run alongside transactions.
    Throughput,
    /// The condition that was specified for these comparisons.
    Condition {
        /// True if a comparison passes when its condition cannot be decided.
        pass_undecided: bool,
    },
}

/// The comparisons with the baseline, one for each of the other runs or sweeps.
#[derive(Debug)]
pub enum Comparisons {
    /// Comparisons of runs.
    Runs(Vec<Comparison>),
    /// Comparisons of sweeps.
    Sweeps(Vec<SweepComparison>),
}

/// Compares `others` with `baseline` and evaluates the condition, if there is one. The arguments are either all
/// sweeps or all runs. Runs are named by an ID, a comma-separated list of IDs, or `tag:NAME`.
pub fn compare(
    context: &Context,
    baseline: &str,
    others: &[String],
    force: bool,
    gate: Option<&Gate>,
) -> Result<Comparisons> {
    let store = context.store();
    let selectors: Vec<&str> =
        [baseline].into_iter().chain(others.iter().map(String::as_str)).collect();
    match subjects(context, &store, &selectors)? {
        Subjects::Sweeps(all) => {
            let sides = sides(&store, all, force, measurement)?;
            let each = sides[1..].iter().map(|side| against(&sides[0], side, force, gate));
            Ok(Comparisons::Sweeps(each.collect::<Result<_>>()?))
        }
        Subjects::Runs(all) => {
            let sides = all.into_iter().map(side).collect::<Result<Vec<Side>>>()?;
            let baseline = Baseline::of(&sides[0]);
            let each = sides[1..].iter().map(|side| {
                let mut comparison = baseline.against(side, force)?;
                gate.map_or(Ok(()), |gate| gate.of_runs(&mut comparison, &sides[0], side))?;
                Ok(comparison)
            });
            Ok(Comparisons::Runs(each.collect::<Result<_>>()?))
        }
    }
}

/// Compares a sweep with another one. If there is a condition, evaluates it.
pub(crate) fn against(
    baseline: &SweepSide,
    run: &SweepSide,
    force: bool,
    gate: Option<&Gate>,
) -> Result<SweepComparison> {
    let mut comparison = SweepComparison::of(baseline, run, force)?;
    gate.map_or(Ok(()), |gate| gate.of_sweeps(&mut comparison, baseline, run))?;
    Ok(comparison)
}

impl FailOn {
    /// Returns the exit code for comparisons. An unknown throughput counts as a failure, because a gate must not pass
    /// without data.
    pub fn judge(self, comparisons: &Comparisons) -> Exit {
        if let Self::Condition { pass_undecided } = self {
            return decided(comparisons, pass_undecided);
        }
        let lost = |verdict| {
            matches!(verdict, Verdict::Worse | Verdict::NotEnoughData | Verdict::Unstable)
        };
        let regression = |worse: usize| self == Self::Regression && worse > 0;
        let fails = match comparisons {
            Comparisons::Runs(all) => {
                all.iter().any(|one| one.gate().any(lost) || regression(one.count(Verdict::Worse)))
            }
            Comparisons::Sweeps(all) => {
                all.iter().any(|one| one.gate().any(lost) || regression(one.count(Verdict::Worse)))
            }
        };
        if fails { Exit::Regression } else { Exit::Success }
    }
}

/// Returns the exit code for the outcome of a condition.
fn decided(comparisons: &Comparisons, pass_undecided: bool) -> Exit {
    let gates: Vec<_> = match comparisons {
        Comparisons::Runs(all) => all.iter().filter_map(|one| one.gate.as_ref()).collect(),
        Comparisons::Sweeps(all) => all.iter().filter_map(|one| one.gate.as_ref()).collect(),
    };
    let any = |verdict| gates.iter().any(|gate| gate.verdict == verdict);
    match (any(GateVerdict::Worse), any(GateVerdict::CannotTell)) {
        (true, _) => Exit::Regression,
        (false, true) if !pass_undecided => Exit::Undecided,
        _ => Exit::Success,
    }
}

/// Returns the exit code for a trend that is used as a gate. The gate fails if there are too few runs or if the
/// latest change is for the worse.
pub fn judge_trend(trend: &Trend) -> Exit {
    let lost = matches!(trend.newest(), Verdict::Worse | Verdict::NotEnoughData);
    if lost { Exit::Regression } else { Exit::Success }
}

fn side((name, runs): (String, Vec<Run>)) -> Result<Side> {
    let single = runs.len() == 1;
    let runs = runs.into_iter().map(|run| measurement(run, single)).collect::<Result<_>>()?;
    Ok(Side { name, runs })
}

/// Reads a run's intervals and histograms only if needed, because there may be hundreds of runs.
fn measurement(run: Run, single: bool) -> Result<Measurement> {
    demand_result(&run)?;
    let (intervals, histograms) = if single {
        (read_intervals(&run.path)?, read_histograms(&run.path)?)
    } else {
        (Vec::new(), Vec::new())
    };
    Ok(Measurement { intervals, histograms, ..Measurement::of(run.record) })
}

/// Returns an error for a run that has no result and therefore cannot be compared.
pub(crate) fn demand_result(run: &Run) -> Result<()> {
    if run.record.result.is_some() {
        return Ok(());
    }
    Err(Error::usage(format!("run {} is {} and has no result", run.record.id, run.state()))
        .hint("tacho runs list shows which runs have completed"))
}
