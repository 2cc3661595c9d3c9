//! Shows what happened to every transaction that was due.

use tacho_analysis::clean;
use tacho_core::units::grouped;
use tacho_store::record::{Record, ResultRecord};

use crate::document::{Block, Fact, Section};
use crate::table::{Column, Table};
use crate::words::ABSENT;
use crate::{accounting, acknowledged, isolation, judgements, outages, terminals};

/// Returns the equations that show what happened to all transactions, the waiting times of
/// scheduled transactions, and the number of failures by class.
pub(super) fn facts(result: &ResultRecord) -> impl Iterator<Item = Fact> {
    let ledger = accounting::accounting(&result.accounting);
    let waits = [accounting::arrivals(result), terminals::terminals(result)];
    let rest = [accounting::late(result), accounting::connecting(result)];
    let known = [ledger].into_iter().chain(waits).chain(rest);
    known.chain([accounting::errors(result)]).flatten()
}

/// Returns the database's counts of commits and rollbacks.
pub(super) fn commits(result: &ResultRecord) -> impl Iterator<Item = Fact> {
    let rollbacks = judgements::rollbacks(result.rollbacks.as_ref());
    let acknowledged = acknowledged::acknowledged(result);
    let isolation = isolation::isolation(result);
    [judgements::commits(result), acknowledged, isolation, rollbacks].into_iter().flatten()
}

/// Returns a section that shows what happened to all transactions, and a table of all error
/// classes.
pub(super) fn section(record: &Record) -> Option<Section> {
    let result = record.result.as_ref()?;
    let mut blocks: Vec<Block> =
        Block::facts(facts(result).chain(outages::outages(result)).chain(commits(result)))
            .into_iter()
            .collect();
    let classes = accounting::by_count(&result.errors);
    if !classes.is_empty() {
        let each = |cell: fn(&tacho_store::record::ErrorRecord) -> String| {
            classes.iter().map(|class| cell(class)).collect::<Vec<String>>()
        };
        let columns = vec![
            Column::right("attempts", each(|error| grouped(error.count))),
            Column::left("kind", each(|error| error.kind.replace('_', " "))),
            Column::left("in", each(|error| error.transaction.clone())),
            Column::left(
                "code",
                each(
                    |error| if error.code.is_empty() { ABSENT.into() } else { clean(&error.code) },
                ),
            ),
            Column::left("text of the first", each(|error| clean(&error.example))),
        ];
        let title = "Failed attempts in all phases, by class";
        blocks.push(Block::table(title, Table::new(columns)));
    }
    Section::of("accounting", "Accounting", blocks)
}
