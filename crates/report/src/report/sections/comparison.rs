//! The runs against a baseline.

use crate::compare::{Comparison, Observed};
use crate::report::Report;
use crate::report::charts::{compare, queries};
use crate::report::document::{Block, Section};
use crate::table::Table;

use super::overview;
use super::runs::sides;

/// Conditions that differ, changes with intervals, and both over each other.
pub(super) fn section(report: &Report) -> Option<Section> {
    let several = report.comparisons.len() > 1;
    let mut blocks = Vec::new();
    if report.is_overview() {
        blocks = overview::blocks(&report.comparisons);
    } else {
        for (place, comparison) in report.comparisons.iter().enumerate() {
            blocks.extend(one(place, comparison, several));
        }
    }
    if !blocks.is_empty() {
        let sides = sides(report);
        if let Some(over) = queries::over(&sides) {
            blocks.push(Block::Chart(over));
        } else if !report.is_overview() {
            blocks.extend(compare::throughput(&sides).map(Block::Chart));
            blocks.extend(compare::curves(&sides).map(Block::Chart));
        }
    }
    Section::of("comparison", "Against the baseline", blocks)
}

fn one(place: usize, comparison: &Comparison, several: bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    let [before, after] = comparison.sides();
    let name = if several { format!("Run {}. ", comparison.run.name) } else { String::new() };
    blocks.push(Block::text(format!("{name}Baseline: {before}. Against it: {after}.")));
    blocks.push(Block::text(comparison.sentences().join(" ")));
    match comparison.conditions_table() {
        Some(table) => blocks.push(Block::long("Conditions that differ", &table)),
        None => blocks.push(Block::text("No recorded condition differs.")),
    }
    blocks.push(Block::table("Metrics", &comparison.metrics_table()));
    blocks.extend(compare::changes(place, comparison).map(Block::Chart));
    blocks.extend(observed(comparison.observed()));
    blocks
}

/// What was seen together with a change.
pub(super) fn observed(tables: Vec<(&'static str, Table)>) -> Vec<Block> {
    let remark = (!tables.is_empty()).then(|| Block::text(Observed::REMARK));
    let tables = tables.into_iter().map(|(title, table)| Block::table(title, &table));
    tables.chain(remark).collect()
}
