//! The table of statements. It shows failures alongside successes.

use tacho_core::units::grouped;
use tacho_store::record::{DistributionRecord, ResultRecord, StatementRecord};

use crate::table::{Column, Table, latencies};

/// Returns the table of a run that recorded its statements.
pub(crate) fn table(result: &ResultRecord) -> Option<Table> {
    let statements = &result.statements;
    if statements.is_empty() {
        return None;
    }
    let each = |cell: fn(&StatementRecord) -> String| statements.iter().map(cell);
    let times = |title, value: fn(&DistributionRecord) -> Option<f64>| {
        let values: Vec<Option<f64>> =
            statements.iter().map(|statement| value(&statement.latency)).collect();
        Column::right(title, latencies(&values))
    };
    let columns = vec![
        Column::left("statement", each(|statement| place(&statement.name).to_owned())),
        Column::right("count", each(|statement| grouped(statement.count))),
        Column::right("failed", each(|statement| grouped(statement.failed))),
        times("mean", |times| (times.count > 0).then_some(times.mean_us)).dropped(1),
        times("p50", |times| times.p50_us),
        times("p95", |times| times.p95_us),
        times("p99", |times| times.p99_us),
        Column::left("text", each(|statement| statement.text.clone())).cut(TEXT_MIN),
    ];
    Some(Table::new(columns))
}

/// Returns the place of a statement named after its transaction and its place in a script, such as `a at a.sql:2:1`. It
/// identifies the statement and leaves more space for the text. Other names are returned unchanged.
fn place(name: &str) -> &str {
    name.split_once(" at ").map_or(name, |(_, place)| place)
}

/// Number of characters of the text that a narrow terminal shows at least.
const TEXT_MIN: usize = 12;
