//! Reads the runs and sweeps included in a report.
//!
//! Damaged and missing runs or sweeps are listed, but do not prevent a report about the others.
//!
//! Start reading at [`report`].

use tacho_analysis::{Baseline, DRAWN_MAX, Gate, Measurement, Reported, Side};
use tacho_core::Result;
use tacho_store::sweep::SweepRecord;
use tacho_store::{
    Run, Store, read_all_intervals, read_histograms, read_host_intervals, read_intervals,
    read_server_intervals,
};

use crate::Context;
use crate::compare::{against, demand_result};
use crate::subject::{Subjects, sides, subjects};

/// The request for a report.
#[derive(Clone, Debug, Default)]
pub struct ReportRequest {
    /// Subjects of the report, which are either all runs or all sweeps. Runs are named by an ID, a comma-separated
    /// list of IDs, or `tag:NAME`. Sweeps are named by an ID or `sweep:latest`.
    pub what: Vec<String>,
    /// The baseline, with which all subjects are compared. It is named in the same way as a subject.
    pub baseline: Option<String>,
    /// True to compare subjects even if they differ in conditions that must be equal.
    pub force: bool,
    /// True to hide names, addresses, and paths.
    pub redact: bool,
    /// True to include the intervals of every run, not only of the runs in charts.
    pub intervals: bool,
    /// The title, which replaces the one that Tacho generates.
    pub title: Option<String>,
    /// The sender's summary in Markdown.
    pub summary: Option<String>,
}

/// Reads the data of a report.
pub fn report(context: &Context, request: &ReportRequest) -> Result<Reported> {
    let store = context.store();
    let named = request.baseline.iter().chain(&request.what);
    let named: Vec<&str> = named.map(String::as_str).collect();
    let mut report = match subjects(context, &store, &named)? {
        Subjects::Runs(all) => of_runs(all, request)?,
        Subjects::Sweeps(all) => of_sweeps(&store, all, request, None)?,
    };
    report.notice = notice(&report);
    let report =
        if request.redact { report.redacted(&tacho_registry::plain_words()) } else { report };
    // The title and the summary are not redacted, because the user who shares the report wrote them.
    Ok(Reported { title: request.title.clone(), summary: request.summary.clone(), ..report })
}

/// Returns one report for each workload, because sweeps of different workloads are not comparable. Returns `None` if a
/// single [`report`] is enough.
pub fn reports_by_workload(
    context: &Context,
    request: &ReportRequest,
) -> Result<Option<Vec<(String, Reported)>>> {
    let store = context.store();
    let named = request.baseline.iter().chain(&request.what).map(String::as_str);
    let Subjects::Sweeps(all) = subjects(context, &store, &named.collect::<Vec<_>>())? else {
        return Ok(None);
    };
    let mut groups: Vec<(String, Vec<(String, SweepRecord)>)> = Vec::new();
    for side in all {
        match groups.iter_mut().find(|(workload, _)| *workload == side.1.workload) {
            Some((_, group)) => group.push(side),
            None => groups.push((side.1.workload.clone(), vec![side])),
        }
    }
    if groups.len() < 2 {
        return Ok(None);
    }
    let reports = groups.into_iter().map(|(workload, sweeps)| {
        let mut report = of_sweeps(&store, sweeps, request, None)?;
        report.notice = notice(&report);
        let redacted = request.redact;
        let words = tacho_registry::plain_words();
        Ok((workload, if redacted { report.redacted(&words) } else { report }))
    });
    reports.collect::<Result<_>>().map(Some)
}

fn of_runs(all: Vec<(String, Vec<Run>)>, request: &ReportRequest) -> Result<Reported> {
    let held = request.baseline.is_some();
    if held {
        all[0].1.iter().try_for_each(demand_result)?;
    }
    let mut read = all.into_iter().map(|(name, runs)| side(name, runs, request.intervals));
    let baseline = if held { read.next() } else { None };
    let before = baseline.as_ref().map(Baseline::of);
    let (mut sides, mut comparisons) = (Vec::new(), Vec::new());
    for mut side in read {
        if let Some(before) = &before {
            comparisons.push(before.against(&side, request.force)?);
        }
        if sides.len() + usize::from(held) >= DRAWN_MAX {
            lighten(&mut side, request.intervals);
        }
        sides.push(side);
    }
    Ok(Reported { sides, baseline, comparisons, ..empty() })
}

/// Removes the chart data of runs that do not appear in charts. A report may contain hundreds of such runs.
fn lighten(side: &mut Side, intervals: bool) {
    for run in &mut side.runs {
        (run.histograms, run.server) = (Vec::new(), Vec::new());
        if !intervals {
            run.intervals = Vec::new();
        }
    }
}

/// Returns a report on sweeps that compares each of them with the first one. If `force` is true, sweeps are compared
/// even if their conditions differ.
pub(crate) fn of_all_sweeps(
    store: &Store,
    all: Vec<(String, SweepRecord)>,
    gate: Option<&Gate>,
    force: bool,
) -> Result<Reported> {
    let request = ReportRequest { force, ..ReportRequest::default() };
    let mut report = of_sweeps(store, all, &request, gate)?;
    report.notice = notice(&report);
    Ok(report)
}

/// Returns a report on sweeps. If there are several, the first one is the baseline.
fn of_sweeps(
    store: &Store,
    all: Vec<(String, SweepRecord)>,
    request: &ReportRequest,
    gate: Option<&Gate>,
) -> Result<Reported> {
    let alone = all.len() == 1;
    let read = |run: Run, single: bool| {
        let mut run = whole(run, request.intervals);
        // Histograms show the variation within a run, which matters only for a point with a single run.
        if !single || alone {
            run.histograms = Vec::new();
        }
        run.server = Vec::new();
        Ok(run)
    };
    let sweeps = sides(store, all, request.force, read)?;
    let compare = |side| against(&sweeps[0], side, request.force, gate);
    let sweep_comparisons = sweeps[1..].iter().map(compare).collect::<Result<_>>()?;
    Ok(Reported { sweeps, sweep_comparisons, ..empty() })
}

fn empty() -> Reported {
    Reported {
        sides: Vec::new(),
        baseline: None,
        comparisons: Vec::new(),
        sweeps: Vec::new(),
        sweep_comparisons: Vec::new(),
        title: None,
        summary: None,
        notice: String::new(),
        tool_version: env!("CARGO_PKG_VERSION").into(),
    }
}

fn side(name: String, runs: Vec<Run>, all: bool) -> Side {
    let single = runs.len() == 1;
    let read = |run| if single { whole(run, all) } else { Measurement::of(run.record) };
    Side { name, runs: runs.into_iter().map(read).collect() }
}

/// Returns a run with everything in its folder. If `all` is true, adjacent intervals are not merged.
fn whole(run: Run, all: bool) -> Measurement {
    let mut gaps = Vec::new();
    let intervals = if all { read_all_intervals(&run.path) } else { read_intervals(&run.path) };
    let intervals = kept(intervals, &mut gaps);
    let histograms = kept(read_histograms(&run.path), &mut gaps);
    let server = kept(read_server_intervals(&run.path), &mut gaps);
    let hosts = kept(read_host_intervals(&run.path), &mut gaps);
    Measurement { record: run.record, intervals, histograms, server, hosts, gaps }
}

fn kept<T>(read: Result<Vec<T>>, gaps: &mut Vec<String>) -> Vec<T> {
    read.unwrap_or_else(|error| {
        gaps.push(error.to_string());
        Vec::new()
    })
}

/// Returns the notice that the workload requires in every report. The notice is empty if this build of Tacho does not
/// include the workload.
fn notice(report: &Reported) -> String {
    let first = report.measurements().next();
    let workload =
        first.and_then(|run| tacho_registry::recorded_workload(&run.record.plan.workload).ok());
    workload.map_or(String::new(), |workload| workload.manifest().notice.into())
}
