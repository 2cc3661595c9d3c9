//! Matches the points of two sweeps and compares each pair.
//!
//! Start reading at [`matched`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::{Error, Result};

use super::SweepSide;
use crate::Side;
use crate::compare::{Basis, Comparison, Difference, MetricRow, Observed};
use crate::limit::Limit;
use crate::sweep::label;
use crate::words::clean;

/// A point that both sweeps have measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PointComparison {
    /// The point's values, in the order of the axes.
    pub values: Vec<String>,
    /// IDs of the baseline's runs.
    pub baseline_runs: Vec<String>,
    /// IDs of the runs that are compared with the baseline.
    pub runs: Vec<String>,
    /// Source of the spread.
    pub basis: Basis,
    /// Conditions that differ at this point.
    pub conditions: Vec<Difference>,
    /// One row for each metric, starting with the throughput.
    pub metrics: Vec<MetricRow>,
    /// True if both sides have a fixed arrival rate, so that latencies decide the outcome.
    #[serde(skip)]
    pub is_open: bool,
    /// Changes in the server's waits and work per transaction at this point.
    pub observed: Observed,
    /// The resources that limited the baseline and the run.
    pub limits: [Option<Limit>; 2],
}

/// A point that cannot be compared.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Unmatched {
    /// The point's values, in the order of the axes.
    pub values: Vec<String>,
    /// True if both sweeps planned to measure the point.
    pub in_both: bool,
    /// The reason why the baseline cannot be compared, if any.
    pub baseline: Option<String>,
    /// The reason why the other sweep cannot be compared, if any.
    pub run: Option<String>,
}

impl Unmatched {
    /// Returns each side's reason in words.
    pub fn lacks(&self) -> Vec<String> {
        let sides = [("baseline", &self.baseline), ("run", &self.run)];
        let lack = |(side, lack): (&str, &Option<String>)| {
            Some(format!("{side}: {}", clean(lack.as_ref()?)))
        };
        sides.into_iter().filter_map(lack).collect()
    }
}

impl PointComparison {
    /// Returns the row for the throughput.
    pub fn throughput(&self) -> &MetricRow {
        // The first row of a comparison is always the throughput.
        &self.metrics[0]
    }
}

/// All points of both sweeps.
pub(super) struct Matching {
    pub(super) points: Vec<PointComparison>,
    pub(super) unmatched: Vec<Unmatched>,
}

/// Compares the points that have equal values, in the order of the baseline. Also collects the points that exist
/// in only one of the sweeps.
pub(super) fn matched(axes: &[String], sides: [&SweepSide; 2], force: bool) -> Result<Matching> {
    let [baseline, run] = [placed(axes, sides[0])?, placed(axes, sides[1])?];
    let (mut points, mut unmatched) = (Vec::new(), Vec::new());
    for (values, place) in &baseline {
        let other = run.iter().find(|(other, _)| other == values).map(|(_, place)| *place);
        let lacks = [lack(sides[0], Some(*place), force), lack(sides[1], other, force)];
        if let (Some(other), [None, None]) = (other, &lacks) {
            points.push(point(values, [(sides[0], *place), (sides[1], other)], force)?);
        } else {
            let [baseline, run] = lacks;
            unmatched.push(Unmatched {
                values: values.clone(),
                in_both: other.is_some(),
                baseline,
                run,
            });
        }
    }
    for (values, place) in run.iter().filter(|(other, _)| baseline.iter().all(|(b, _)| b != other))
    {
        let [baseline, run] = [lack(sides[0], None, force), lack(sides[1], Some(*place), force)];
        unmatched.push(Unmatched { values: values.clone(), in_both: false, baseline, run });
    }
    let searched = sides.iter().all(|side| side.view.sweep.searched().is_some());
    if points.is_empty() && !searched {
        return Err(nothing(axes, &unmatched));
    }
    Ok(Matching { points, unmatched })
}

/// Returns a sweep's rows with their values along the axes. Fails if two rows have the same values.
fn placed(axes: &[String], side: &SweepSide) -> Result<Vec<(Vec<String>, usize)>> {
    let keys = &side.view.sweep.vary;
    let mut placed: Vec<(Vec<String>, usize)> = Vec::new();
    for (place, row) in side.view.rows.iter().enumerate() {
        let at = |axis: &String| keys.iter().position(|varied| varied.key == *axis);
        let value = |axis: &String| row.values.get(at(axis)?).cloned();
        let values: Vec<String> = axes.iter().filter_map(value).collect();
        let is_closed = row.values.len() < keys.len();
        if is_closed && placed.iter().any(|(known, _)| *known == values) {
            continue;
        }
        if placed.iter().any(|(known, _)| *known == values) {
            return Err(Error::usage(format!(
                "sweep {} has more than one point for {}",
                side.view.sweep.id,
                label(axes, &values)
            ))
            .hint("to list the runs and compare them directly, use tacho sweep --show -o json"));
        }
        placed.push((values, place));
    }
    Ok(placed)
}

/// Returns the reason why this row of a sweep cannot be compared, if any.
fn lack(side: &SweepSide, place: Option<usize>, force: bool) -> Option<String> {
    let Some(place) = place else { return Some("not in this sweep".into()) };
    let row = &side.view.rows[place];
    let runs = &side.runs[place];
    if row.throughput.is_none() || runs.is_empty() {
        return Some(row.missing.clone().unwrap_or_else(|| "its run no longer exists".into()));
    }
    let invalid =
        runs.iter().find(|run| run.record.result.as_ref().is_some_and(|result| !result.valid));
    let run = invalid.filter(|_| !force)?;
    let notices = run.record.result.iter().flat_map(|result| &result.notices);
    let reason = notices.into_iter().find(|notice| notice.invalidates);
    let reason = reason.map_or("no reason is recorded", |notice| notice.text.as_str());
    Some(format!("run {} is INVALID: {}", run.record.id, clean(reason)))
}

fn point(values: &[String], at: [(&SweepSide, usize); 2], force: bool) -> Result<PointComparison> {
    let [baseline, run] = at.map(|(side, place)| side_at(side, place));
    let comparison = Comparison::of(&baseline, &run, force)?;
    Ok(PointComparison {
        values: values.to_vec(),
        baseline_runs: comparison.baseline.runs,
        runs: comparison.run.runs,
        basis: comparison.basis,
        conditions: comparison.conditions,
        metrics: comparison.metrics,
        is_open: comparison.is_open,
        observed: comparison.observed,
        limits: [comparison.baseline.limit, comparison.run.limit],
    })
}

/// Returns the runs of a row as one side of a comparison.
pub(super) fn side_at(side: &SweepSide, place: usize) -> Side {
    Side { name: side.name.clone(), runs: side.runs[place].clone() }
}

fn nothing(axes: &[String], unmatched: &[Unmatched]) -> Error {
    let reason = |unmatched: &Unmatched| {
        format!("{} ({})", label(axes, &unmatched.values), unmatched.lacks().join("; "))
    };
    let reasons: Vec<String> = unmatched.iter().map(reason).collect();
    let invalid = reasons.iter().any(|reason| reason.contains("INVALID"));
    let error = Error::usage(format!(
        "these sweeps have no measured points in common: {}",
        reasons.join(", ")
    ));
    if invalid {
        error.hint("use --force to compare INVALID runs anyway")
    } else {
        error.hint("use the same values in both sweeps, such as --vary sessions=1,2,4")
    }
}
