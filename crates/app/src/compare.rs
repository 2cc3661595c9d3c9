//! Holding saved runs against a baseline, and sweeps against a sweep.
//!
//! Start reading at [`compare`].

use tacho_core::{Error, Result};
use tacho_metrics::Verdict;
use tacho_report::{Comparison, Measurement, Side, SweepComparison, SweepSide};
use tacho_store::{Run, Store, read_histograms, read_intervals};

use crate::subject::{Subject, by_id, side as sweep_side, subject};
use crate::{Context, Exit};

/// What makes a comparison fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Any metric that is worse.
    Regression,
    /// A throughput that is worse.
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
    if let Some(sides) = sweeps(context, &store, &selectors)? {
        let each = sides[1..].iter().map(|side| SweepComparison::of(&sides[0], side, force));
        return Ok(Comparisons::Sweeps(each.collect::<Result<_>>()?));
    }
    let baseline = side(&store, baseline)?;
    let each = others.iter().map(|other| Comparison::of(&baseline, &side(&store, other)?, force));
    Ok(Comparisons::Runs(each.collect::<Result<_>>()?))
}

/// The sweeps of these names; `None` if they name runs.
pub(crate) fn sweeps(
    context: &Context,
    store: &Store,
    selectors: &[&str],
) -> Result<Option<Vec<SweepSide>>> {
    let (mut sweeps, mut runs) = (Vec::new(), Vec::new());
    for selector in selectors {
        match subject(context, store, selector)? {
            Subject::Sweep(record) => sweeps.push((*selector, *record)),
            Subject::Runs(_) => runs.push(*selector),
        }
    }
    match (sweeps.first(), runs.first()) {
        (None, _) => Ok(None),
        (Some((sweep, _)), Some(run)) => Err(Error::usage(format!(
            "{sweep} is a sweep and {run} is none: they have no points in common"
        ))
        .hint("sweeps are held against sweeps: tacho compare sweep:latest~1 sweep:latest")
        .hint(format!("tacho sweep --show {sweep} -o json names the runs of its points"))),
        (Some(_), None) => {
            let runs = by_id(store)?;
            let side = |(name, record)| sweep_side(name, record, &runs, measurement);
            Ok(Some(sweeps.into_iter().map(side).collect::<Result<_>>()?))
        }
    }
}

impl FailOn {
    /// The exit code that it makes of comparisons. A throughput that could not be judged fails too:
    /// a gate that passes on nothing is none.
    pub fn judge(self, comparisons: &Comparisons) -> Exit {
        let lost = |verdict| matches!(verdict, Verdict::Worse | Verdict::NotEnoughData);
        let regression = |worse: usize| self == Self::Regression && worse > 0;
        let fails = match comparisons {
            Comparisons::Runs(all) => all
                .iter()
                .any(|one| lost(one.throughput()) || regression(one.count(Verdict::Worse))),
            Comparisons::Sweeps(all) => all
                .iter()
                .any(|one| one.throughput().any(lost) || regression(one.count(Verdict::Worse))),
        };
        if fails { Exit::Regression } else { Exit::Success }
    }
}

fn side(store: &Store, selector: &str) -> Result<Side> {
    let runs = store.find_all(selector)?;
    let single = runs.len() == 1;
    let runs = runs.into_iter().map(|run| measurement(run, single)).collect::<Result<_>>()?;
    Ok(Side { name: selector.into(), runs })
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
