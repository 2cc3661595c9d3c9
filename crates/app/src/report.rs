//! Reading what a report is made of.
//!
//! What is damaged or missing must never keep the rest from being reported: it is named in the
//! report. Start reading at [`report`].

use tacho_core::{Error, Result};
use tacho_report::{Comparison, Measurement, Report, Side, SweepView};
use tacho_store::sweep::SweepRecord;
use tacho_store::{Run, Store, read_histograms, read_intervals, read_server_intervals};

use crate::Context;
use crate::compare::demand_result;
use crate::subject::{Subject, by_id, subject};

/// What is to be reported.
#[derive(Clone, Debug, Default)]
pub struct ReportRequest {
    /// Each a run, several with commas between them, `tag:NAME`, or a sweep: its id, or
    /// `sweep:latest`.
    pub what: Vec<String>,
    /// What all of it is held against, in the same way.
    pub baseline: Option<String>,
    /// Whether to compare what should not be compared.
    pub force: bool,
    /// Whether to hide names, addresses and paths.
    pub redact: bool,
}

/// More runs than these are not drawn over each other, so their parts are not read either.
const DRAWN_MAX: usize = 8;

/// Reads it.
pub fn report(context: &Context, request: &ReportRequest) -> Result<Report> {
    let store = context.store();
    let (sides, sweep) = match &request.what[..] {
        [one] => match subject(context, &store, one)? {
            Subject::Runs(runs) => (vec![side(one, runs, true)], None),
            Subject::Sweep(record) => swept(&store, *record)?,
        },
        several => (sides(context, &store, several)?, None),
    };
    if sweep.is_some() && request.baseline.is_some() {
        return Err(Error::usage("a sweep is not held against a baseline")
            .hint("compare runs of two sweeps: tacho compare RUN RUN"));
    }
    let baseline = request.baseline.as_deref().map(|own| {
        let runs = store.find_all(own)?;
        runs.iter().try_for_each(demand_result)?;
        Ok::<Side, Error>(side(own, runs, sides.len() < DRAWN_MAX))
    });
    let baseline = baseline.transpose()?;
    let comparisons = match &baseline {
        Some(baseline) => {
            let compare = |side| Comparison::of(baseline, side, request.force);
            sides.iter().map(compare).collect::<Result<_>>()?
        }
        None => Vec::new(),
    };
    let report = Report {
        notice: notice(&sides),
        sides,
        baseline,
        comparisons,
        sweep,
        tool_version: env!("CARGO_PKG_VERSION").into(),
    };
    Ok(if request.redact { report.redacted() } else { report })
}

fn sides(context: &Context, store: &Store, selectors: &[String]) -> Result<Vec<Side>> {
    let drawn = selectors.len() < DRAWN_MAX;
    let side = |selector: &String| match subject(context, store, selector)? {
        Subject::Runs(runs) => Ok(side(selector, runs, drawn)),
        Subject::Sweep(_) => Err(Error::usage("a sweep is reported alone")
            .hint(format!("tacho report {selector} -o profile.html"))),
    };
    selectors.iter().map(side).collect()
}

/// The view of a sweep, and its first run for the conditions.
fn swept(store: &Store, record: SweepRecord) -> Result<(Vec<Side>, Option<SweepView>)> {
    let runs = by_id(store)?;
    let mut ids = record.points.iter().filter_map(|point| point.run.as_deref());
    let first = ids.find_map(|id| runs.get(id)).cloned();
    let view = SweepView::of(record, |id| Some(runs.get(id)?.record.clone()));
    let name = view.sweep.id.clone();
    Ok((first.map(|run| side(&name, vec![run], false)).into_iter().collect(), Some(view)))
}

fn side(name: &str, runs: Vec<Run>, drawn: bool) -> Side {
    let single = drawn && runs.len() == 1;
    let read = |run| if single { whole(run) } else { Measurement::of(run.record) };
    Side { name: name.into(), runs: runs.into_iter().map(read).collect() }
}

/// A run with all that can be read of its folder.
fn whole(run: Run) -> Measurement {
    let mut gaps = Vec::new();
    let intervals = kept(read_intervals(&run.path), &mut gaps);
    let histograms = kept(read_histograms(&run.path), &mut gaps);
    let server = kept(read_server_intervals(&run.path), &mut gaps);
    Measurement { record: run.record, intervals, histograms, server, gaps }
}

fn kept<T>(read: Result<Vec<T>>, gaps: &mut Vec<String>) -> Vec<T> {
    read.unwrap_or_else(|error| {
        gaps.push(error.to_string());
        Vec::new()
    })
}

/// What the workload must say about itself; one that this build no longer has says nothing.
fn notice(sides: &[Side]) -> String {
    let first = sides.first().and_then(|side| side.runs.first());
    let workload = first.and_then(|run| tacho_registry::workload(&run.record.plan.workload).ok());
    workload.map_or(String::new(), |workload| workload.manifest().notice.into())
}
