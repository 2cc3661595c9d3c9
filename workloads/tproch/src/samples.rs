//! Conditions on loaded rows. Ranges of rows are compared with rows that are generated again.
//!
//! Small tables are compared completely. Other tables are compared in several places, which are
//! spread over the whole table.
//!
//! Start reading at [`checks`].

use tacho_core::Rng;
use tacho_driver::{Value, Values};
use tacho_workload::{Check, Gone, Judge, Loaded, Sample, Slice, made};

use crate::generate;
use crate::refresh::Keys;
use crate::schema::{
    CUSTOMER, LINEITEM, NATION, ORDERS, PART, PARTSUPP, REGION, SUPPLIER, is_fixed,
};
use crate::setup::Setup;
use crate::statements::sample;

/// Number of parts of each table from which rows are sampled.
const PARTS: u64 = 8;
/// Minimum number of sampled rows per table, over all parts together.
const ROWS: usize = 3_200;
const CLAUSE: &str = "4.2.3, no query changes them";

/// Columns of each table, in the order of its statement.
const COLUMNS: [&[usize]; 8] = [
    &[0, 1, 2],
    &[0, 1, 2, 3],
    &[0, 1, 2, 3, 4, 5, 6],
    &[0, 1, 2, 3, 4, 5, 6, 7],
    &[0, 1, 2, 3, 4, 5, 6, 7, 8],
    &[0, 1, 2, 3, 4],
    &[0, 1, 2, 3, 4, 5, 6, 7, 8],
    &[0, 3, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
];
/// Number of columns in each table.
const WIDTHS: [usize; 8] = [3, 4, 7, 8, 9, 5, 9, 16];

/// ID, rule and tables of each condition.
const CONDITIONS: [(&str, &str, &[usize]); 4] = [
    (
        "R1",
        "sampled suppliers and all nations and regions match the loaded data",
        &[REGION, NATION, SUPPLIER],
    ),
    ("R2", "sampled customers match the loaded data", &[CUSTOMER]),
    ("R3", "sampled parts and their suppliers match the loaded data", &[PART, PARTSUPP]),
    ("R4", "sampled orders and lines match the loaded data", &[ORDERS, LINEITEM]),
];

/// Returns the conditions. They compare only columns that store exact values, and skip orders that
/// refreshes have inserted or deleted.
pub fn checks(setup: &Setup, exact: &[Vec<bool>]) -> Vec<Check> {
    let rng = &mut setup.seed.child("samples").rng(0);
    let check = |(id, rule, tables): (&'static str, &'static str, &[usize])| {
        let samples: Vec<Sample> =
            tables.iter().flat_map(|table| samples(setup, *table, &exact[*table], rng)).collect();
        Check {
            id,
            rule,
            clause: CLAUSE,
            statement: sample(tables[0]),
            bound: Values::default(),
            keys: None,
            judge: Judge::NoRows,
            samples,
            by_loader: false,
            excused: None,
        }
    };
    CONDITIONS.into_iter().map(check).collect()
}

fn samples(setup: &Setup, table: usize, exact: &[bool], rng: &mut Rng) -> Vec<Sample> {
    if is_fixed(table) {
        return vec![range(setup, table, exact, 0, ROWS)];
    }
    let slots = setup.steps;
    let parts = PARTS.min(slots);
    let chosen = |part: u64, rng: &mut Rng| {
        let (first, end) = (part * slots / parts, (part + 1) * slots / parts);
        rng.between(first as i64, end as i64 - 1) as u64
    };
    let rows = ROWS / parts as usize;
    (0..parts).map(|part| range(setup, table, exact, chosen(part, rng), rows)).collect()
}

/// Returns a sample of the first rows of a part. For each key, the sample contains either all rows or none.
fn range(setup: &Setup, table: usize, exact: &[bool], slot: u64, count: usize) -> Sample {
    let (steps, deviations, width) = (setup.steps, setup.deviations, WIDTHS[table]);
    // The sample is limited by the second column of the primary key or, if the key has only one column, by that one.
    let second = COLUMNS[table][usize::from(matches!(table, PARTSUPP | LINEITEM))];
    let rows = move || {
        let source = generate::rows(steps, &Slice { table, slots: slot..slot + 1 }, deviations);
        first_keys(&made(source, count), width, second, count)
    };
    let all = rows();
    let key = |row: usize| number(all.get(row * width));
    let mut bound = Values::default();
    bound.int(key(0));
    bound.int(key((all.len() / width).saturating_sub(1)));
    let columns = COLUMNS[table].iter().map(|at| exact[*at].then_some(*at)).collect();
    let gone = matches!(table, ORDERS | LINEITEM).then(|| refreshed(setup, COLUMNS[table].len()));
    let loaded = Loaded { rows: Box::new(rows), width, columns, rule: None, gone };
    Sample { statement: sample(table), bound, judge: loaded.judge() }
}

/// Returns a function that returns true for orders that refreshes have changed.
///
/// The function receives a row and the key of an order. The row contains the table's columns, the number of the last
/// set whose orders were deleted, and how many orders of this set were deleted.
fn refreshed(setup: &Setup, at: usize) -> Gone {
    let keys = Keys::of(setup);
    Box::new(move |first, key| {
        let [set, done] = [at, at + 1].map(|at| first.number(at).unwrap_or(0).unsigned_abs());
        !keys.is_left(key, set, done)
    })
}

/// Returns the rows without those of the last key, which may be incomplete. At the end of a part, returns all rows.
fn first_keys(rows: &Values, width: usize, second: usize, wanted: usize) -> Values {
    let count = rows.len() / width;
    let last = rows.get(count.saturating_sub(1) * width);
    let complete = (0..count).take_while(|row| rows.get(row * width) != last).count();
    let kept = if count < wanted { count } else { complete };
    let mut order: Vec<usize> = (0..kept).collect();
    // Sorts the rows as the statements do, because the generator uses another order for a part's suppliers.
    order
        .sort_by_key(|row| (number(rows.get(row * width)), number(rows.get(row * width + second))));
    let mut values = Values::default();
    for row in order {
        (0..width).for_each(|at| values.push(rows.get(row * width + at)));
    }
    values
}

fn number(value: Value<'_>) -> i64 {
    match value {
        Value::Int(number) => number,
        _ => 0,
    }
}
