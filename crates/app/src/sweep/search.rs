//! Searches for the highest rate that meets a limit.
//!
//! The search depends only on the measurements so far, so an interrupted search can resume from them. Start reading at
//! [`next`].

/// A measured rate, and whether it met the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tried {
    pub(super) rate: f64,
    pub(super) holds: bool,
}

/// The maximum ratio of the lowest failing rate to the highest passing rate at which the search ends.
const CLOSE: f64 = 1.03;
/// The maximum number of rates to try.
const TRIES_MAX: usize = 12;
/// The first rate to try, as a share of the database's maximum throughput.
const FIRST: f64 = 0.8;
/// The number of times that a rate must meet the limit, because a single run may pass by chance.
const HELD_MIN: usize = 2;

/// Returns the next rate to try, in transactions per second, or `None` if the search is complete. `capacity` is the
/// throughput without a rate limit.
///
/// Between a rate that meets the limit and one that does not, the search tries their geometric mean. The final rate is
/// measured twice. If the second run fails, the search continues below it.
pub(super) fn next(capacity: f64, tried: &[Tried]) -> Option<f64> {
    if tried.len() >= TRIES_MAX || capacity <= 0.0 {
        return None;
    }
    if tried.is_empty() {
        return Some(rounded(capacity * FIRST));
    }
    let rate = match (highest_holding(tried), lowest_failing(tried)) {
        (Some(holds), Some(fails)) if fails / holds > CLOSE => (holds * fails).sqrt(),
        (Some(holds), None) if holds < capacity => (holds * 1.1).min(capacity * CLOSE),
        (None, Some(fails)) => fails / 2.0,
        (Some(holds), _) => {
            let held = tried.iter().filter(|one| same(one.rate, holds) && one.holds).count();
            return (held < HELD_MIN).then_some(holds);
        }
        (None, None) => return None,
    };
    Some(rounded(rate))
}

/// Returns the highest passing rate that is lower than every failing rate.
pub(super) fn highest_holding(tried: &[Tried]) -> Option<f64> {
    let ceiling = lowest_failing(tried).unwrap_or(f64::INFINITY);
    let holding = tried.iter().filter(|one| one.holds && one.rate < ceiling);
    holding.map(|one| one.rate).max_by(f64::total_cmp)
}

/// Returns the lowest rate that failed at least once.
pub(super) fn lowest_failing(tried: &[Tried]) -> Option<f64> {
    tried.iter().filter(|one| !one.holds).map(|one| one.rate).min_by(f64::total_cmp)
}

/// Rounds to three significant digits, because limits are not known more precisely than that.
fn rounded(rate: f64) -> f64 {
    let digits = (2.0 - rate.log10().floor()) as i32;
    let size = 10_f64.powi(digits.abs());
    // Dividing by an integer is exact in cases where multiplying by a fraction is not.
    if digits < 0 { (rate / size).round() * size } else { (rate * size).round() / size }
}

fn same(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches a database that sustains rates up to `limit`. Returns the highest passing rate, the lowest failing
    /// rate, and the number of attempts.
    fn search(capacity: f64, limit: f64) -> (Option<f64>, Option<f64>, usize) {
        let mut tried = Vec::new();
        while let Some(rate) = next(capacity, &tried) {
            tried.push(Tried { rate, holds: rate <= limit });
        }
        (highest_holding(&tried), lowest_failing(&tried), tried.len())
    }

    #[test]
    fn the_limit_is_found_closely_and_soon() {
        for limit in [310.0, 700.0, 790.0, 950.0] {
            let (holds, fails, tries) = search(1_000.0, limit);
            let (holds, fails) = (holds.expect("a rate"), fails.expect("a rate"));
            assert!(holds <= limit && limit < fails && fails / holds < 1.04, "{holds} {fails}");
            assert!(tries <= 12, "{tries}");
        }
    }

    #[test]
    fn rates_have_three_digits_and_no_more() {
        let shown =
            [45.75, 22.875, 0.361_3, 1_234.5, 182.7, 999.9].map(|rate| rounded(rate).to_string());
        assert_eq!(shown, ["45.8", "22.9", "0.361", "1230", "183", "1000"]);
    }

    #[test]
    fn a_limit_that_always_or_never_holds_ends_the_search() {
        let (holds, fails, _) = search(1_000.0, f64::INFINITY);
        assert!(holds.is_some_and(|rate| rate >= 1_000.0) && fails.is_none());
        let (holds, fails, tries) = search(1_000.0, 0.0);
        assert!(holds.is_none() && fails.is_some() && tries == 12);
        assert_eq!(next(0.0, &[]), None);
    }

    #[test]
    fn a_rate_that_fails_the_second_time_is_not_found() {
        let mut tried =
            vec![Tried { rate: 800.0, holds: true }, Tried { rate: 820.0, holds: false }];
        assert_eq!(next(1_000.0, &tried), Some(800.0));
        tried.push(Tried { rate: 800.0, holds: false });
        assert!(next(1_000.0, &tried).is_some_and(|rate| rate < 800.0));
    }
}
