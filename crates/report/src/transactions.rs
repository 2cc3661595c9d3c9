//! The table of transactions, which shows failures next to successes.
//!
//! Start reading at [`table`].

use tacho_core::units::{grouped, percent};
use tacho_store::record::{DistributionRecord, TransactionRecord};

use crate::table::{Column, Table, latencies};
use crate::words::ABSENT;

type Percentile = fn(&DistributionRecord) -> Option<f64>;

const PERCENTILES: [(&str, Percentile); 6] = [
    ("p50", |times| times.p50_us),
    ("p90", |times| times.p90_us),
    ("p95", |times| times.p95_us),
    ("p99", |times| times.p99_us),
    ("p99.9", |times| times.p999_us),
    ("max", longest),
];
/// Percentiles that are omitted first if the terminal is narrow.
const DROPPED: [&str; 2] = ["p90", "p99.9"];

fn longest(times: &DistributionRecord) -> Option<f64> {
    (times.count > 0).then_some(times.max_us)
}

/// Returns the table with all its columns. A narrow terminal shows fewer columns.
pub(crate) fn table(transactions: &[TransactionRecord]) -> Table {
    let each = |cell: fn(&TransactionRecord) -> String| transactions.iter().map(cell);
    let times: Vec<DistributionRecord> =
        transactions.iter().map(|transaction| transaction.latency).collect();
    let percentile = |column: Column| {
        if DROPPED.contains(&column.title.as_str()) { column.dropped(1) } else { column }
    };
    let mut columns = vec![
        Column::left("transaction", each(|transaction| transaction.name.clone())),
        Column::right("share", each(|transaction| percent(transaction.share))).dropped(2),
        Column::right("count", each(|transaction| grouped(transaction.count))),
    ];
    columns.extend(distribution(&times).map(percentile));
    columns.push(Column::right("failed", each(|transaction| grouped(transaction.failed))));
    columns.push(Column::right("rolled back", each(rolled_back)).short("rolled"));
    Table::new(columns)
}

fn rolled_back(transaction: &TransactionRecord) -> String {
    let none = !transaction.rollback_intended && transaction.rolled_back == 0;
    if none { ABSENT.into() } else { grouped(transaction.rolled_back) }
}

/// Returns the columns of a distribution.
pub(crate) fn distribution(times: &[DistributionRecord]) -> impl Iterator<Item = Column> {
    PERCENTILES.iter().map(|(title, value)| {
        let values: Vec<Option<f64>> = times.iter().map(value).collect();
        Column::right(title, latencies(&values))
    })
}
