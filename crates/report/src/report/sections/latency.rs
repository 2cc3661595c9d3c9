//! Transaction latencies.

use tacho_analysis::Measurement;
use tacho_store::record::Record;

use crate::document::{Block, Section};
use crate::report::charts::latency;
use crate::transactions::table;
use crate::{show, statements};

const NO_HISTOGRAMS: &str = "This run has no histograms, so its distributions cannot be drawn.";

/// Returns the heatmap, the percentile curves, and tables of all percentiles.
pub(super) fn section(run: &Measurement) -> Option<Section> {
    let mut blocks: Vec<Block> = [latency::heatmap(run), latency::curves(run)]
        .into_iter()
        .flatten()
        .map(Block::Chart)
        .collect();
    if blocks.is_empty() {
        blocks.push(Block::text(NO_HISTOGRAMS));
    }
    if let Some(result) = &run.record.result {
        blocks.extend(show::distributions_of(result));
    }
    Section::of("latency", "Latency", blocks)
}

/// Returns a table of all transaction types. Failed and successful transactions are next to each other.
pub(super) fn transactions(record: &Record) -> Option<Section> {
    let result = record.result.as_ref()?;
    if result.transactions.is_empty() {
        return None;
    }
    let table = table(&result.transactions);
    let mut blocks = vec![
        Block::table("Latency by transaction type", table),
        Block::text(
            "Latencies exclude failed transactions. A dash means that there were too few \
                transactions for that percentile, or that the workload has no intended rollbacks.",
        ),
    ];
    blocks
        .extend(statements::table(result).map(|table| Block::table("Latency by statement", table)));
    Section::of("transactions", "Transactions", blocks)
}
