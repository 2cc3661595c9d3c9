//! Holding saved runs against a baseline.
//!
//! Start reading at [`compare`].

use tacho_core::{Error, Result};
use tacho_metrics::Verdict;
use tacho_report::{Comparison, Measurement, Side};
use tacho_store::{Run, Store, read_histograms, read_intervals};

use crate::Exit;

/// What makes a comparison fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Any metric that is worse.
    Regression,
    /// A throughput that is worse.
    Throughput,
}

/// Compares each of `others` with `baseline`. Each names a run, or several repeated ones with
/// commas between them, or `tag:NAME`.
pub fn compare(
    store: &Store,
    baseline: &str,
    others: &[String],
    force: bool,
) -> Result<Vec<Comparison>> {
    let baseline = side(store, baseline)?;
    others.iter().map(|other| Comparison::of(&baseline, &side(store, other)?, force)).collect()
}

impl FailOn {
    /// The exit code that it makes of comparisons. A throughput that could not be judged fails too:
    /// a gate that passes on nothing is none.
    pub fn judge(self, comparisons: &[Comparison]) -> Exit {
        let fails = |one: &Comparison| {
            matches!(one.throughput(), Verdict::Worse | Verdict::NotEnoughData)
                || (self == Self::Regression && one.count(Verdict::Worse) > 0)
        };
        if comparisons.iter().any(fails) { Exit::Regression } else { Exit::Success }
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
