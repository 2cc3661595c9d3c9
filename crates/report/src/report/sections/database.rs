//! Server activity during the run.

use tacho_analysis::Measurement;

use crate::document::{Block, Section};
use crate::report::charts::waits;
use crate::server_load;

/// Returns the waits over time and in total, the increases of the counters, and the gauges.
pub(super) fn section(run: &Measurement) -> Option<Section> {
    let result = run.record.result.as_ref()?;
    let chart = waits::waits(run).map(Block::Chart);
    let blocks = chart.into_iter().chain(server_load::blocks(result)).collect();
    Section::of("database", "Database", blocks)
}
