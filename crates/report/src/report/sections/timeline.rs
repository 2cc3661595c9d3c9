//! The run over time.

use crate::document::{Block, Section};
use crate::report::charts::timeline;
use crate::{conditions, outages, steps};
use tacho_analysis::Measurement;

const NO_INTERVALS: &str = "This run has no intervals, so there are no charts over time.";
const READING: &str = "Each step is evaluated like a separate run. Throughput and latency cover the \
    transactions that ended in the step; the skipped transactions were due during the step.";
const NO_FAILURES: &str = "No transaction failed in any interval.";

/// Returns charts of throughput, failures and latency on a common time axis.
pub(super) fn section(run: &Measurement) -> Option<Section> {
    let Some(throughput) = timeline::throughput(run) else {
        return Section::of("timeline", "Over time", vec![Block::text(NO_INTERVALS)]);
    };
    let mut blocks = vec![Block::Chart(throughput)];
    if let Some(result) = &run.record.result {
        if let Some(table) = steps::table(result, usize::MAX) {
            blocks.push(Block::table("Steps of the load", table));
            blocks.push(Block::text(READING));
        }
        let facts = [conditions::steadiness(result.verdict_steadiness()), outages::outages(result)];
        blocks.extend(Block::facts(facts.into_iter().flatten()));
    }
    blocks.extend(timeline::backlog(run).map(Block::Chart));
    blocks.push(timeline::failures(run).map_or(Block::text(NO_FAILURES), Block::Chart));
    blocks.extend(timeline::latency(run).map(Block::Chart));
    Section::of("timeline", "Over time", blocks)
}
