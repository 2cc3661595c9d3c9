//! The table of transactions: failures stand next to successes.
//!
//! Start reading at [`fitting`].

use tacho_core::units::{grouped, percent};
use tacho_store::record::{DistributionRecord, TransactionRecord};

use crate::table::{Column, Table, latencies};
use crate::words::ABSENT;

type Percentile = fn(&DistributionRecord) -> Option<f64>;

/// The columns of a distribution, by title.
const PERCENTILES: [(&str, Percentile); 6] = [
    ("p50", |times| times.p50_us),
    ("p90", |times| times.p90_us),
    ("p95", |times| times.p95_us),
    ("p99", |times| times.p99_us),
    ("p99.9", |times| times.p999_us),
    ("max", longest),
];
/// Those that go when there is little room.
const DROPPED: [&str; 2] = ["p90", "p99.9"];
/// From this width on all percentiles are shown.
const FULL_WIDTH: usize = 100;

fn longest(times: &DistributionRecord) -> Option<f64> {
    (times.count > 0).then_some(times.max_us)
}

/// One way to lay the table out.
struct Shape {
    all_percentiles: bool,
    gap: usize,
    share: bool,
    rolled_back: &'static str,
}

/// From the best to the narrowest.
const SHAPES: [Shape; 7] = [
    Shape { all_percentiles: true, gap: 2, share: true, rolled_back: "rolled back" },
    Shape { all_percentiles: true, gap: 1, share: true, rolled_back: "rolled back" },
    Shape { all_percentiles: true, gap: 1, share: true, rolled_back: "rolled" },
    Shape { all_percentiles: false, gap: 2, share: true, rolled_back: "rolled back" },
    Shape { all_percentiles: false, gap: 1, share: true, rolled_back: "rolled back" },
    Shape { all_percentiles: false, gap: 1, share: true, rolled_back: "rolled" },
    Shape { all_percentiles: false, gap: 1, share: false, rolled_back: "rolled" },
];

/// The table in the best shape that fits the width.
pub(crate) fn fitting(transactions: &[TransactionRecord], width: usize) -> Vec<String> {
    let shapes = SHAPES.iter().filter(|shape| width >= FULL_WIDTH || !shape.all_percentiles);
    let mut tables = shapes.map(|shape| table(transactions, shape));
    let narrowest = table(transactions, &SHAPES[SHAPES.len() - 1]);
    tables.find(|table| table.width() <= width).unwrap_or(narrowest).lines()
}

/// The table with all its columns.
pub(crate) fn full(transactions: &[TransactionRecord]) -> Table {
    table(transactions, &SHAPES[0])
}

fn table(transactions: &[TransactionRecord], shape: &Shape) -> Table {
    let each = |cell: fn(&TransactionRecord) -> String| transactions.iter().map(cell);
    let mut columns = vec![Column::left("transaction", each(|own| own.name.clone()))];
    if shape.share {
        columns.push(Column::right("share", each(|own| percent(own.share))));
    }
    columns.push(Column::right("count", each(|own| grouped(own.count))));
    let times: Vec<DistributionRecord> = transactions.iter().map(|own| own.latency).collect();
    columns.extend(distribution(&times, shape.all_percentiles));
    columns.push(Column::right("failed", each(|own| grouped(own.failed))));
    columns.push(Column::right(shape.rolled_back, each(rolled_back)));
    Table::new(columns).gap(shape.gap)
}

fn rolled_back(own: &TransactionRecord) -> String {
    let none = !own.rollback_intended && own.rolled_back == 0;
    if none { ABSENT.into() } else { grouped(own.rolled_back) }
}

/// The columns of a distribution.
pub(crate) fn distribution(times: &[DistributionRecord], all: bool) -> Vec<Column> {
    PERCENTILES
        .iter()
        .filter(|(title, _)| all || !DROPPED.contains(title))
        .map(|(title, value)| {
            let values: Vec<Option<f64>> = times.iter().map(value).collect();
            Column::right(title, latencies(&values))
        })
        .collect()
}
