//! Instructions for repeating the measurement.

use tacho_analysis::clean;
use tacho_store::record::Record;

use crate::document::{Block, Section};

/// Returns the command that repeats the measurement, and the prerequisites of the command.
pub(super) fn section(record: &Record) -> Option<Section> {
    let plan = &record.plan;
    if plan.command.is_empty() {
        return None;
    }
    let data = record.data.as_ref().map_or_else(String::new, |data| {
        format!(
            " The rows were generated from seed {}; {} before this run.",
            data.seed,
            match data.runs_before {
                0 => "no run had changed them".into(),
                runs => format!("{} had changed them", tacho_core::units::counted(runs, "run")),
            }
        )
    });
    let blocks = vec![
        Block::Code { text: clean(&plan.command) },
        Block::text(format!(
            "With tacho {}. Run {}, started {}.{data}",
            record.tool_version, record.id, record.started_at
        )),
    ];
    Section::of("reproduce", "Reproduce", blocks)
}
