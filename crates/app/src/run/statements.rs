//! The latencies and failures of each statement, if the run recorded them.

use tacho_driver::Statement;
use tacho_engine::{CONTROLS, Measurement};
use tacho_metrics::StatementRecords;
use tacho_store::record::{DistributionRecord, StatementRecord};

/// Maximum length of a statement's text in a record, in characters.
const TEXT_MAX: usize = 200;

/// Returns the statements that were executed in the measured phase, in the order of the workload's list.
pub(super) fn statements(measurement: &Measurement) -> Vec<StatementRecord> {
    let known = measurement.catalog.statements();
    let record = |(number, records): (usize, &StatementRecords)| {
        let (name, text) = if let Some(statement) = known.get(number) {
            (statement.name.clone(), text(statement))
        } else {
            let control = *CONTROLS.get(number - known.len())?;
            (control.to_owned(), control.to_owned())
        };
        Some(StatementRecord {
            name,
            text,
            count: records.latency.count(),
            failed: records.failed,
            latency: DistributionRecord::from(&records.latency),
        })
    };
    measurement.total.statements.executed().filter_map(record).collect()
}

/// Returns the start of a statement's text on one line.
fn text(statement: &Statement) -> String {
    let words: Vec<&str> = statement.sql.split_whitespace().collect();
    words.join(" ").chars().take(TEXT_MAX).collect()
}
