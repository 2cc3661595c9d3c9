//! The number of rows that a query can return on intact data, whatever its parameters are.
//!
//! A result with a number of rows outside these limits is wrong. This check works even at scales
//! for which no results are published.
//!
//! Start reading at [`wrong_rows`].

use tacho_core::units::counted;

use crate::hammerdb::Deviations;
use crate::setup::Setup;

/// Limits for the number of rows in a result.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limits {
    least: usize,
    most: usize,
    /// Smallest scale, measured in steps, for which the lower limit is `least`. At smaller scales, the limit is
    /// `least_below`.
    from: u64,
    /// Lower limit at smaller scales, where some groups may have no rows.
    least_below: usize,
}

const fn limits(least: usize, most: usize) -> Limits {
    Limits { least, most, from: 1, least_below: least }
}

impl Limits {
    const fn from(self, steps: u64, least_below: usize) -> Self {
        Self { from: steps, least_below, ..self }
    }
}

const fn exactly(rows: usize) -> Limits {
    limits(rows, rows)
}

/// The limits follow from clause 2.4 and from the largest possible number of groups.
///
/// At a hundredth of a gigabyte, a nation has four suppliers on average, but one nation in fifty has none.
const QUERIES: [Limits; 22] = [
    exactly(4),
    exactly(100).from(100, 0),
    exactly(10),
    exactly(5),
    exactly(5).from(10, 1),
    exactly(1),
    exactly(4).from(10, 1),
    exactly(2).from(10, 1),
    exactly(175).from(10, 100),
    exactly(20),
    limits(1, usize::MAX).from(100, 0),
    exactly(2),
    // The number of orders per customer has 31 to 42 different values at scales up to 1, and a few
    // more at scale 1,000.
    limits(20, 100),
    exactly(1),
    limits(1, usize::MAX),
    // There are at most 24 brands, 145 types and 8 sizes.
    limits(100, 24 * 145 * 8),
    exactly(1),
    limits(0, 100),
    exactly(1),
    limits(1, usize::MAX).from(10, 0),
    exactly(100).from(100, 0),
    exactly(7).from(10, 1),
];

/// Queries with a row limit, unless a deviation removes the limit.
const LIMITED: [u8; 5] = [2, 3, 10, 18, 21];

/// Queries whose number of rows grows with the data. Each entry contains the query's number, its rows per gigabyte
/// without LIMIT, and the smallest scale for which [`SPREAD`] applies, in steps.
///
/// Q11 returns no rows for a nation that has at least a quarter more suppliers than the average
/// nation. At one gigabyte, this is five standard deviations and practically never happens, but it
/// is common at smaller scales.
const GROWING: [(u8, f64, u64); 4] =
    [(2, 470.0, 10), (11, 1_000.0, 100), (20, 170.0, 10), (21, 400.0, 10)];
/// Largest plausible ratio between the actual and the expected number of rows. In 80 streams, the
/// ratio never exceeded 2.5.
const SPREAD: f64 = 8.0;

/// Limits for the cloud queries. Four of these queries never return any rows.
const CLOUD: [Limits; 13] = [
    exactly(10).from(100, 0),
    exactly(1),
    exactly(1),
    exactly(1),
    exactly(1),
    exactly(100).from(100, 0),
    exactly(100).from(100, 0),
    exactly(0),
    exactly(0),
    exactly(0),
    exactly(0),
    limits(0, 100),
    limits(1, usize::MAX).from(100, 0),
];

/// Returns an error message if the result cannot have this number of rows.
pub fn wrong_rows(query: u8, setup: &Setup, rows: usize) -> Option<String> {
    let (least, most) = if setup.cloud {
        at(CLOUD[usize::from(query) - 1], setup.steps)
    } else {
        of_query(query, setup)
    };
    let right = match most {
        usize::MAX => format!("{least} or more"),
        most if least == most => format!("{most}"),
        most => format!("{least} to {most}"),
    };
    (!(least..=most).contains(&rows))
        .then(|| format!("{}, expected {right}", counted(rows as u64, "row")))
}

const fn at(limits: Limits, steps: u64) -> (usize, usize) {
    (if steps >= limits.from { limits.least } else { limits.least_below }, limits.most)
}

fn of_query(query: u8, setup: &Setup) -> (usize, usize) {
    let Deviations { whole, egypt, .. } = setup.deviations;
    let (least, most) = match at(QUERIES[usize::from(query) - 1], setup.steps) {
        // HammerDB assigns Egypt to a different region, so one region has four nations, and another has six.
        (least, _) if query == 5 && egypt => (least.min(4), 6),
        (least, _) if whole && LIMITED.contains(&query) => (least, usize::MAX),
        limits => limits,
    };
    let growing = (!setup.deviations.other_answers()).then(|| growth(query, setup.steps)).flatten();
    growing
        .map_or((least, most), |(fewest, largest)| (least.max(fewest.min(most)), most.min(largest)))
}

/// Returns the limits for a query whose number of rows depends on the size of the data.
fn growth(query: u8, steps: u64) -> Option<(usize, usize)> {
    let (_, rows, from) = GROWING.into_iter().find(|(number, ..)| *number == query)?;
    let expected = rows * steps as f64 / 100.0;
    (steps >= from).then(|| ((expected / SPREAD) as usize, (expected * SPREAD) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::{KNOWN, known};
    use crate::setup::tests::setup;

    #[test]
    fn the_right_answers_have_a_right_number_of_rows() {
        for query in 1..=22 {
            for steps in KNOWN {
                let rows = known(query, steps).map_or(0, |rows| rows.len());
                let wrong = wrong_rows(query, &setup(steps, "spec"), rows);
                assert_eq!(wrong, None, "q{query} at {steps}");
            }
        }
    }

    #[test]
    fn counts_outside_the_limits_are_wrong() {
        let words = |query, steps, rows| wrong_rows(query, &setup(steps, "spec"), rows);
        assert_eq!(words(1, 100, 3).as_deref(), Some("3 rows, expected 4"));
        assert_eq!(words(7, 1, 3), None, "at scale 0.01, a group may be empty");
        assert_eq!(words(18, 100, 101).as_deref(), Some("101 rows, expected 0 to 100"));
        assert!(words(6, 1, 0).is_some() && words(14, 1, 2).is_some());
        let theirs = |query, rows| wrong_rows(query, &setup(100, "hammerdb"), rows);
        assert_eq!((theirs(10, 37_967), theirs(5, 6), theirs(5, 4)), (None, None, None));
        assert_eq!(theirs(3, 9).as_deref(), Some("9 rows, expected 10 or more"));
    }

    /// The smallest and largest numbers of rows observed in 30 streams on 0.1 gigabyte and 10 streams on 1 gigabyte.
    #[test]
    fn counts_that_were_measured_are_right() {
        let measured = [
            (2, 10, 36..=68),
            (11, 10, 18..=270),
            (11, 100, 699..=1_217),
            (13, 10, 37..=37),
            (16, 10, 2_726..=2_972),
            (20, 10, 7..=28),
            (20, 100, 155..=185),
            (21, 10, 28..=50),
        ];
        for (query, steps, rows) in measured {
            let of = |rows| wrong_rows(query, &setup(steps, "spec"), rows);
            assert_eq!((of(*rows.start()), of(*rows.end())), (None, None), "q{query} at {steps}");
        }
    }

    #[test]
    fn an_answer_of_nothing_is_wrong_where_the_scale_makes_rows_likely() {
        let found = |steps| -> Vec<u8> {
            (1..=22)
                .filter(|query| wrong_rows(*query, &setup(steps, "spec"), 0).is_none())
                .collect()
        };
        assert_eq!(
            (found(1), found(10), found(100)),
            (vec![2, 11, 18, 20, 21], vec![11, 18], vec![18])
        );
        // A query that joins a table twice by mistake returns more rows than are plausible.
        assert!(wrong_rows(11, &setup(100, "spec"), 9_000).is_some());
    }
}
