//! A comparison of sweeps: a chart of all sweeps, then each pair, point by point.

use crate::answer;
use crate::document::{Block, Chart, Section};
use crate::report::charts::sweep;
use crate::sweep::table;
use crate::sweep_compare as words;
use tacho_analysis::{Reported, SweepComparison, SweepSide};

use super::{conditions, host, sweep as alone};

pub(super) fn sections(report: &Reported, sides: &[SweepSide]) -> Vec<Section> {
    let first = sides[0].runs.iter().flatten().next().map(|run| &run.record);
    [
        over(report, sides),
        profiles(sides),
        first.and_then(|record| alone::shared(&sides[0].view, record)),
        first.and_then(conditions),
        first.and_then(host::section),
        reproduce(sides),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the differing conditions, a chart of all sweeps, and the verdict on each pair.
fn over(report: &Reported, sides: &[SweepSide]) -> Option<Section> {
    let all = &report.sweep_comparisons;
    let axes = all.first().map(|one| &one.axes[..]).unwrap_or_default();
    let chart = sweep::over(sides, axes);
    let blocks = match &all[..] {
        [one] => pair(one, chart).collect(),
        several => {
            let chart = chart.map(Block::Chart).into_iter();
            let each = |one| pair(one, None).chain(answer::block(answer::of_sweeps(one)));
            chart.chain(several.iter().flat_map(each)).collect()
        }
    };
    Section::of("comparison", "Against the baseline", blocks)
}

fn pair(comparison: &SweepComparison, chart: Option<Chart>) -> impl Iterator<Item = Block> {
    let all = words::percentiles_table(comparison, false);
    let all = all.map(|table| Block::folded("All percentiles", table));
    words::blocks(comparison, chart).into_iter().chain(all)
}

/// Returns a detailed section for each sweep.
fn profiles(sides: &[SweepSide]) -> Option<Section> {
    let blocks = sides.iter().flat_map(|side| {
        let title = format!("All points of sweep {}", side.view.sweep.id);
        let table = Block::folded(title, table(&side.view));
        let remarks = Block::remarks(alone::remarks(side));
        sweep::waits(&side.view, false).map(Block::Chart).into_iter().chain([table]).chain(remarks)
    });
    Section::of("profiles", "Each sweep", blocks.collect())
}

fn reproduce(sides: &[SweepSide]) -> Option<Section> {
    let blocks = sides.iter().flat_map(|side| alone::reproduce(&side.view));
    Section::of("reproduce", "Reproduce", blocks.collect())
}
