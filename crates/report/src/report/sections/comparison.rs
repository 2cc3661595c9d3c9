//! The section that compares runs with a baseline.

use tacho_analysis::{Comparison, Reported, Side};
use tacho_store::record::Record;

use crate::answer;
use crate::compare as words;
use crate::document::{Block, Section};
use crate::report::charts::runs::BASELINE;
use crate::report::charts::{compare, queries};
use tacho_analysis::contrast;

use super::overview;

/// Returns the differing conditions, the changes with confidence intervals, and the charts of all sides.
pub(super) fn section(report: &Reported) -> Option<Section> {
    let mut blocks = Vec::new();
    if report.is_overview() {
        blocks = overview::blocks(&report.comparisons);
    } else {
        for (place, comparison) in report.comparisons.iter().enumerate() {
            blocks.extend(one(report, place, comparison));
            // The answer to a single comparison is already at the top of the page.
            let several = report.comparisons.len() > 1;
            blocks.extend(answer::block(answer::of_comparison(comparison)).filter(|_| several));
        }
    }
    if !blocks.is_empty() {
        let sides = sides(report);
        let labels = labels(&sides);
        let sides = labelled(&sides, &labels);
        if let Some(over) = queries::over(&sides) {
            blocks.push(Block::Chart(over));
        } else if !report.is_overview() {
            blocks.extend(compare::throughput(&sides).map(Block::Chart));
            blocks.extend(compare::curves(&sides).map(Block::Chart));
        }
    }
    Section::of("comparison", "Against the baseline", blocks)
}

/// Returns the baseline and the other sides, each with its name.
pub(super) fn sides(report: &Reported) -> Vec<(&str, &Side)> {
    let baseline = report.baseline.iter().map(|side| (BASELINE, side));
    let alone = report.sides.len() == 1 && report.baseline.is_some();
    baseline
        .chain(
            report.sides.iter().map(|side| (if alone { "run" } else { side.name.as_str() }, side)),
        )
        .collect()
}

/// Returns a label for the curves of each side. The label consists of the side's name and its
/// differences from the other sides.
pub(super) fn labels(sides: &[(&str, &Side)]) -> Vec<String> {
    let first = |side: &Side| side.runs.first().map(|run| run.record.clone());
    let records: Vec<Record> = sides.iter().filter_map(|(_, side)| first(side)).collect();
    let labels = contrast::labels(&records.iter().collect::<Vec<_>>());
    // A side without runs has no label. In that case, only the names of the sides are shown, even for those that have a
    // label.
    let whole = labels.len() == sides.len();
    let label = |(place, (name, _)): (usize, &(&str, &Side))| match labels.get(place) {
        Some(label) if whole => format!("{name}: {label}"),
        _ => (*name).to_owned(),
    };
    sides.iter().enumerate().map(label).collect()
}

/// Returns the sides with their labels.
pub(super) fn labelled<'a>(
    sides: &[(&str, &'a Side)],
    labels: &'a [String],
) -> Vec<(&'a str, &'a Side)> {
    labels.iter().zip(sides).map(|(label, (_, side))| (label.as_str(), *side)).collect()
}

/// Returns the part of a title that states how a run differs from its baseline in server, version
/// and settings.
pub(super) fn contrast_of(report: &Reported, place: usize) -> Option<String> {
    let baseline = &report.baseline.as_ref()?.runs.first()?.record;
    let run = &report.sides.get(place)?.runs.first()?.record;
    Some(contrast::contrast(baseline, run))
}

fn one(report: &Reported, place: usize, comparison: &Comparison) -> Vec<Block> {
    words::blocks(comparison, compare::changes(place, comparison, contrast_of(report, place)))
}
