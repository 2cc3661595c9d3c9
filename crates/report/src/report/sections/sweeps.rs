//! Sweeps against a sweep: all of them over each other, then each pair point by point.

use crate::report::charts::sweep;
use crate::report::document::{Block, Section};
use crate::sweep::table;
use crate::sweep_compare as words;
use tacho_analysis::{Reported, SweepComparison, SweepSide};

use super::{comparison, conditions, sweep as alone};

/// All sections of a comparison of sweeps.
pub(super) fn sections(report: &Reported, sides: &[SweepSide]) -> Vec<Section> {
    let first = sides[0].runs.iter().flatten().next().map(|run| &run.record);
    [
        over(report, sides),
        profiles(sides),
        first.and_then(|record| alone::shared(&sides[0].view, record)),
        first.and_then(conditions::section),
        first.and_then(conditions::host),
        reproduce(sides),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Conditions that differ, all sweeps over each other, and each pair judged.
fn over(report: &Reported, sides: &[SweepSide]) -> Option<Section> {
    let several = report.sweep_comparisons.len() > 1;
    let mut blocks = Vec::new();
    let axes = report.sweep_comparisons.first().map(|one| &one.axes[..]).unwrap_or_default();
    let chart = sweep::over(sides, axes).map(Block::Chart);
    if several {
        blocks.extend(chart);
        blocks.extend(report.sweep_comparisons.iter().flat_map(|one| pair(one, None)));
    } else {
        blocks.extend(report.sweep_comparisons.iter().flat_map(|one| pair(one, chart.clone())));
    }
    Section::of("comparison", "Against the baseline", blocks)
}

fn pair(own: &SweepComparison, chart: Option<Block>) -> Vec<Block> {
    let [before, after] = words::sides(own);
    let mut blocks = vec![Block::text(format!("Baseline: {before}. Against it: {after}."))];
    match words::conditions_table(own) {
        Some(table) => blocks.push(Block::long("Conditions that differ", &table)),
        None => blocks.push(Block::text("No recorded condition differs.")),
    }
    blocks.extend(chart);
    blocks.push(Block::text(words::sentences(own).join(" ")));
    blocks.extend(
        words::points_table(own).map(|table| Block::table("Throughput at each point", &table)),
    );
    blocks.extend(words::marks_table(own).map(|table| Block::table("Peak and knee", &table)));
    let changed = words::percentiles_table(own, true);
    blocks.extend(changed.map(|table| Block::long("Percentiles that changed", &table)));
    if let Some((place, tables)) = words::observed(own) {
        blocks.push(Block::text(format!("At {place}, where the throughput changed most:")));
        blocks.extend(comparison::observed(tables));
    }
    let all = words::percentiles_table(own, false);
    blocks.extend(all.map(|table| Block::folded("All percentiles", &table)));
    blocks
}

/// Each sweep by itself.
fn profiles(sides: &[SweepSide]) -> Option<Section> {
    let blocks = sides.iter().flat_map(|side| {
        let title = format!("All points of sweep {}", side.view.sweep.id);
        let table = Block::folded(title, &table(&side.view));
        let remarks = alone::remarks(side);
        let remarks = (!remarks.is_empty()).then_some(Block::Remarks { remarks });
        sweep::waits(&side.view, false).map(Block::Chart).into_iter().chain([table]).chain(remarks)
    });
    Section::of("profiles", "Each sweep", blocks.collect())
}

fn reproduce(sides: &[SweepSide]) -> Option<Section> {
    let blocks = sides.iter().flat_map(|side| alone::reproduce(&side.view));
    Section::of("reproduce", "Reproduce", blocks.collect())
}
