//! Server activity during the run.

use tacho_analysis::Measurement;

use crate::document::{Block, Section};
use crate::report::charts::waits;
use crate::server_load;

/// Returns a chart of the wait events over time, followed by their totals, the increases of the
/// server's counters, and its gauges.
pub(super) fn section(run: &Measurement) -> Option<Section> {
    let result = run.record.result.as_ref()?;
    let chart = waits::waits(run).map(Block::Chart);
    let blocks = chart.into_iter().chain(server_load::blocks(result)).collect();
    Section::of("database", "Database", blocks)
}
