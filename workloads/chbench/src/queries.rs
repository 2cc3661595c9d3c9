//! The queries: what they are bound to, and how many rows their answers may have.
//!
//! Start reading at [`bind`] and [`wrong_rows`].

use std::ops::RangeInclusive;

use tacho_driver::Values;

use crate::schema::SUPPLIERS;
use crate::statements::{QUERIES, query_name};

const DAY_US: i64 = 86_400_000_000;
/// The bounds of time hold all rows: dates are that of the load and some microseconds later.
const BEFORE_US: i64 = DAY_US;
const AFTER_US: i64 = 20 * 365 * DAY_US;

/// Which bounds of time a query takes.
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

/// Binds a query, from 1, on data that was loaded at this time.
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

/// Fewest and most rows of each answer, on rows as they are loaded and at any time after: groups of which
/// there are no more, and sums, which are one row whatever they are of. An order has 5 to 15 lines.
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

/// What is wrong with an answer of so many rows.
pub fn wrong_rows(query: u8, rows: usize) -> Option<String> {
    let right = &ROWS[usize::from(query) - 1];
    let words = match (right.start(), right.end()) {
        (least, most) if least == most => format!("{least}"),
        (least, &MANY) => format!("{least} or more"),
        (least, most) => format!("{least} to {most}"),
    };
    let wrong = || format!("the answer of {} has {rows} rows, not {words}", query_name(query));
    (!right.contains(&rows)).then(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_number_of_rows_is_told() {
        let words = |query, rows| wrong_rows(query, rows);
        assert_eq!(words(1, 15), None);
        assert_eq!(words(1, 14).as_deref(), Some("the answer of q1 has 14 rows, not 15"));
        assert_eq!(words(2, 0).as_deref(), Some("the answer of q2 has 0 rows, not 1 or more"));
        assert_eq!(words(22, 63).as_deref(), Some("the answer of q22 has 63 rows, not 0 to 62"));
    }
}
