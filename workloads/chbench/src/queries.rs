//! Parameter values for the queries, and the numbers of rows that they can return.
//!
//! Start reading at [`bind`] and [`wrong_rows`].

use std::ops::RangeInclusive;

use tacho_driver::Values;

use crate::schema::SUPPLIERS;
use crate::statements::{QUERIES, query_name};

const DAY_US: i64 = 86_400_000_000;
/// Bounds for the dates in queries, relative to the load time: one day before it and 20 years after it. All dates in
/// the data are close to the load time, so the bounds include every row.
const BEFORE_US: i64 = DAY_US;
const AFTER_US: i64 = 20 * 365 * DAY_US;

/// The kind of time bounds that each query takes as parameters.
const BOUNDS: [Bounds; QUERIES] = [
    Bounds::First, // 1
    Bounds::None,
    Bounds::First,
    Bounds::Both,
    Bounds::First, // 5
    Bounds::Both,
    Bounds::Both,
    Bounds::Both,
    Bounds::None,
    Bounds::First, // 10
    Bounds::None,
    Bounds::Last,
    Bounds::None,
    Bounds::Both,
    Bounds::First, // 15
    Bounds::None,
    Bounds::None,
    Bounds::None,
    Bounds::None,
    Bounds::First, // 20
    Bounds::None,
    Bounds::None,
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bounds {
    None,
    First,
    Last,
    Both,
}

/// Appends the parameter values for a query, whose number starts at 1. `loaded_at` is the time of the load.
pub fn bind(query: u8, loaded_at: i64, values: &mut Values) {
    let bounds = BOUNDS[usize::from(query) - 1];
    if matches!(bounds, Bounds::First | Bounds::Both) {
        values.time(loaded_at - BEFORE_US);
    }
    if matches!(bounds, Bounds::Last | Bounds::Both) {
        values.time(loaded_at + AFTER_US);
    }
}

const MANY: usize = usize::MAX;
const ALL_SUPPLIERS: usize = SUPPLIERS as usize;

/// Minimum and maximum number of rows that each query returns after the load.
///
/// A query with GROUP BY returns at most one row per group, and a query that only computes sums
/// returns one row. An order has 5 to 15 lines.
const ROWS: [RangeInclusive<usize>; QUERIES] = [
    15..=15,
    1..=MANY,
    0..=MANY,
    11..=11,
    1..=62,
    1..=1,
    0..=4,
    1..=2,
    1..=124,
    1..=MANY,
    0..=MANY,
    11..=11,
    1..=MANY,
    1..=1,
    1..=ALL_SUPPLIERS,
    1..=MANY,
    1..=1,
    0..=MANY,
    1..=1,
    0..=ALL_SUPPLIERS,
    0..=ALL_SUPPLIERS,
    0..=62,
];

/// Returns an error message if the query cannot return this number of rows on correct data.
pub fn wrong_rows(query: u8, rows: usize) -> Option<String> {
    let right = &ROWS[usize::from(query) - 1];
    let words = match (right.start(), right.end()) {
        (least, most) if least == most => format!("{least}"),
        (least, &MANY) => format!("{least} or more"),
        (least, most) => format!("{least} to {most}"),
    };
    let wrong = || format!("{} returned {rows} rows instead of {words}", query_name(query));
    (!right.contains(&rows)).then(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_a_wrong_number_of_rows() {
        let words = |query, rows| wrong_rows(query, rows);
        assert_eq!(words(1, 15), None);
        assert_eq!(words(1, 14).as_deref(), Some("q1 returned 14 rows instead of 15"));
        assert_eq!(words(2, 0).as_deref(), Some("q2 returned 0 rows instead of 1 or more"));
        assert_eq!(words(22, 63).as_deref(), Some("q22 returned 63 rows instead of 0 to 62"));
    }
}
