//! The outcomes of thresholds, consistency checks and the audit of inputs.

use tacho_analysis::clean;
use tacho_store::record::{CheckRecord, Record, ResultRecord, ThresholdRecord};

use crate::document::{Block, Fact, Section};
use crate::table::{Column, Table};
use crate::{judgements, show};

pub(super) fn facts(record: &Record, result: &ResultRecord) -> impl Iterator<Item = Fact> {
    [judgements::checks(record, result), judgements::audit(result)].into_iter().flatten()
}

/// Returns the outcome of each condition that the run had to meet.
pub(super) fn section(record: &Record) -> Option<Section> {
    let result = record.result.as_ref()?;
    let mut blocks = Vec::new();
    if !result.thresholds.is_empty() {
        blocks.push(Block::table("Thresholds", thresholds(&result.thresholds)));
    }
    blocks.extend(Block::facts(facts(record, result)));
    if !result.checks.is_empty() {
        blocks.push(Block::folded("Consistency conditions", checks(&result.checks)));
    }
    if !result.audit.is_empty() {
        blocks.push(Block::folded(
            "Audit: the submitted mix and the expected mix",
            show::audit_table(result),
        ));
    }
    Section::of("judgements", "Thresholds and checks", blocks)
}

fn thresholds(all: &[ThresholdRecord]) -> Table {
    let measured = |threshold: &ThresholdRecord| match threshold.measured {
        Some(_) => threshold.measured_text.clone(),
        None => "no data, which fails".into(),
    };
    let columns = vec![
        Column::left("", all.iter().map(|threshold| judgements::mark(threshold.passed).into())),
        Column::left("limit", all.iter().map(|threshold| clean(&threshold.expression))),
        Column::right("measured", all.iter().map(measured)),
    ];
    Table::new(columns)
}

fn checks(all: &[CheckRecord]) -> Table {
    let each = |cell: fn(&CheckRecord) -> String| all.iter().map(cell);
    let columns = vec![
        Column::left("", each(|check| judgements::check_mark(check).into())),
        Column::left("condition", each(|check| check.id.clone())),
        Column::left("when", each(|check| check.when.clone())),
        Column::left("what must hold", each(|check| check.rule.clone())),
        Column::left("verdict", each(|check| check.verdict.to_string())),
        Column::left("found", each(|check| clean(&check.detail))),
    ];
    Table::new(columns)
}
