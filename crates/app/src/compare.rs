//! Holding saved runs against a baseline, and sweeps against a sweep.
//!
//! Start reading at [`compare`].

use tacho_analysis::{Baseline, Comparison, Measurement, Side, SweepComparison, Trend};
use tacho_core::{Error, Result};
use tacho_metrics::Verdict;
use tacho_store::{Run, read_histograms, read_intervals};

use crate::subject::{Subjects, sides, subjects};
use crate::{Context, Exit};

/// What makes a comparison fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Any metric that is worse.
    Regression,
    /// A throughput that is worse: the workload's own figure, or that of queries next to transactions.
    Throughput,
}

/// What came out, one for each of what was held against the baseline.
#[derive(Debug)]
pub enum Comparisons {
    /// Of runs.
    Runs(Vec<Comparison>),
    /// Of sweeps.
    Sweeps(Vec<SweepComparison>),
}

/// Compares each of `others` with `baseline`. Each names a run, several repeated ones with commas
/// between them, or `tag:NAME`; or all of them name sweeps.
pub fn compare(
    context: &Context,
    baseline: &str,
    others: &[String],
    force: bool,
) -> Result<Comparisons> {
    let store = context.store();
    let selectors: Vec<&str> =
        [baseline].into_iter().chain(others.iter().map(String::as_str)).collect();
    match subjects(context, &store, &selectors)? {
        Subjects::Sweeps(all) => {
            let sides = sides(&store, all, force, measurement)?;
            let each = sides[1..].iter().map(|side| SweepComparison::of(&sides[0], side, force));
            Ok(Comparisons::Sweeps(each.collect::<Result<_>>()?))
        }
        Subjects::Runs(all) => {
            let sides = all.into_iter().map(side).collect::<Result<Vec<Side>>>()?;
            let baseline = Baseline::of(&sides[0]);
            let each = sides[1..].iter().map(|side| baseline.against(side, force));
            Ok(Comparisons::Runs(each.collect::<Result<_>>()?))
        }
    }
}

impl FailOn {
    /// The exit code that it makes of comparisons. A throughput that could not be judged fails too:
    /// a gate that passes on nothing is none.
    pub fn judge(self, comparisons: &Comparisons) -> Exit {
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

/// The exit code of a trend as a gate: a newest change for the worse fails, and so does a history that
/// is too short to judge.
pub fn judge_trend(trend: &Trend) -> Exit {
    let lost = matches!(trend.newest(), Verdict::Worse | Verdict::NotEnoughData);
    if lost { Exit::Regression } else { Exit::Success }
}

fn side((name, runs): (String, Vec<Run>)) -> Result<Side> {
    let single = runs.len() == 1;
    let runs = runs.into_iter().map(|run| measurement(run, single)).collect::<Result<_>>()?;
    Ok(Side { name, runs })
}

/// Intervals and histograms are read only where the spread within the run is wanted: of repeated
/// runs there may be hundreds.
fn measurement(run: Run, single: bool) -> Result<Measurement> {
    demand_result(&run)?;
    let (intervals, histograms) = if single {
        (read_intervals(&run.path)?, read_histograms(&run.path)?)
    } else {
        (Vec::new(), Vec::new())
    };
    Ok(Measurement { intervals, histograms, ..Measurement::of(run.record) })
}

/// A run without a result cannot be held against anything.
pub(crate) fn demand_result(run: &Run) -> Result<()> {
    if run.record.result.is_some() {
        return Ok(());
    }
    Err(Error::usage(format!("run {} is {}: it has no result", run.record.id, run.state()))
        .hint("tacho runs list shows which runs are complete"))
}
