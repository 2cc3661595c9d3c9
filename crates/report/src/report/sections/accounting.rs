//! What became of every transaction that was due.

use tacho_analysis::clean;
use tacho_core::units::grouped;
use tacho_store::record::Record;

use crate::document::{Block, Section};
use crate::table::{Column, Table};
use crate::words::ABSENT;
use crate::{accounting, acknowledged, judgements, outages};

/// The identities, the failures by class, and what the database says to the commits.
pub(super) fn section(record: &Record) -> Option<Section> {
    let result = record.result.as_ref()?;
    let facts = [
        accounting::accounting(&result.accounting),
        accounting::arrivals(result),
        accounting::errors(result),
        outages::outages(result),
        judgements::commits(result),
        acknowledged::acknowledged(result),
        judgements::rollbacks(result.rollbacks.as_ref()),
    ];
    let mut blocks: Vec<Block> = Block::facts(facts.into_iter().flatten()).into_iter().collect();
    let classes = accounting::by_count(&result.errors);
    if !classes.is_empty() {
        let each = |cell: fn(&tacho_store::record::ErrorRecord) -> String| {
            classes.iter().map(|own| cell(own)).collect::<Vec<String>>()
        };
        let columns = vec![
            Column::right("attempts", each(|own| grouped(own.count))),
            Column::left("kind", each(|own| own.kind.replace('_', " "))),
            Column::left("in", each(|own| own.transaction.clone())),
            Column::left(
                "code",
                each(|own| if own.code.is_empty() { ABSENT.into() } else { clean(&own.code) }),
            ),
            Column::left("text of the first", each(|own| clean(&own.example))),
        ];
        let title = "Failed attempts over all phases, by class";
        blocks.push(Block::table(title, Table::new(columns)));
    }
    Section::of("accounting", "Accounting", blocks)
}
