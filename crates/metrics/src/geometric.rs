//! Geometric means of times: of all that is given, and of the queries of a stream.
//!
//! A failed query has no time, so it is in no mean of times; [`penalised_mean`] says what the stream would
//! be with each of them as a very slow one.

use std::time::Duration;

/// A query that is more often than this quicker than the longest counts as if it were so often: with
/// nothing near zero, no query alone makes the mean (TPC-H 3.0.1, clause 5.4.1.4).
const QUICKER_MOST: f64 = 1_000.0;
/// A failed query counts as so many times the longest: the factor of PAR10, Hutter et al., in the
/// Journal of Artificial Intelligence Research 36 (2009), 267–306.
const PENALTY: f64 = 10.0;

/// (t₁ · … · tₙ)^(1/n) in seconds; zero if one of them is, `None` without times. Computed by logarithms, so
/// that no product overflows.
pub fn geometric_mean(times: impl IntoIterator<Item = Duration>) -> Option<f64> {
    mean_of(times.into_iter().map(|time| time.as_secs_f64()))
}

/// The geometric mean of the times of queries, in seconds as these are, where each counts as a thousandth of
/// the longest at least. `None` without times, if all are zero, or if one is no time: negative, infinite or
/// not a number.
pub fn query_mean(times_s: &[f64]) -> Option<f64> {
    let longest = longest(times_s).filter(|longest| *longest > 0.0)?;
    mean_of(raised(times_s, longest))
}

/// The same over queries of which some failed, after so many seconds: each of them counts as ten times the
/// longest of all, good or failed. `None` without a good one, since nothing says then what a query takes.
pub fn penalised_mean(good_s: &[f64], failed_s: &[f64]) -> Option<f64> {
    let longest_good = longest(good_s).filter(|longest| *longest > 0.0)?;
    let longest = longest_good.max(longest(failed_s)?);
    let penalties = failed_s.iter().map(|_| PENALTY * longest);
    mean_of(raised(good_s, longest).chain(penalties))
}

fn raised(times_s: &[f64], longest: f64) -> impl Iterator<Item = f64> {
    times_s.iter().map(move |time| time.max(longest / QUICKER_MOST))
}

/// Zero of none; `None` if one is no time.
fn longest(times_s: &[f64]) -> Option<f64> {
    let real = times_s.iter().all(|time| time.is_finite() && *time >= 0.0);
    real.then(|| times_s.iter().copied().fold(0.0, f64::max))
}

fn mean_of(times_s: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u64);
    for time in times_s {
        // That of zero is minus infinity, of which the exponential is zero again.
        sum += time.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / count as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found / expected - 1.0).abs() < 1e-12)
    }

    #[test]
    fn means_are_those_of_the_definition() {
        let mean =
            |millis: &[u64]| geometric_mean(millis.iter().copied().map(Duration::from_millis));
        assert!(near(mean(&[1_000, 4_000]), 2.0));
        assert!(near(mean(&[7]), 0.007));
        assert!(near(mean(&[2_000, 4_000, 8_000]), 4.0));
        assert!(near(geometric_mean(vec![Duration::from_hours(1_000); 400]), 3_600_000.0));
        assert_eq!((mean(&[]), mean(&[1_000, 0])), (None, Some(0.0)));
    }

    #[test]
    fn a_query_counts_as_a_thousandth_of_the_longest_at_least() {
        assert!(near(query_mean(&[1.0, 4.0]), 2.0));
        assert!(near(query_mean(&[0.001, 1.0]), (0.001_f64).sqrt()));
        // The third takes no time that a clock has seen, and is no reason to have no mean.
        for quick in [0.0, 1e-9, 0.003] {
            assert!(
                near(query_mean(&[4.0, 4.0, quick]), (4.0_f64 * 4.0 * 0.004).cbrt()),
                "{quick}"
            );
        }
        assert!(near(query_mean(&[4.0, 4.0, 0.005]), (4.0_f64 * 4.0 * 0.005).cbrt()));
    }

    #[test]
    fn a_failed_query_counts_as_ten_of_the_longest() {
        assert!(near(penalised_mean(&[1.0, 4.0], &[]), 2.0));
        assert!(near(penalised_mean(&[1.0, 4.0], &[0.5]), (1.0_f64 * 4.0 * 40.0).cbrt()));
        // One that took longest of all before it failed.
        assert!(near(penalised_mean(&[1.0, 4.0], &[6.0]), (1.0_f64 * 4.0 * 60.0).cbrt()));
        let failed = penalised_mean(&[1.0, 4.0], &[0.0]).expect("a mean");
        assert!(failed > query_mean(&[1.0, 4.0]).expect("a mean"), "to fail is never quicker");
    }

    #[test]
    fn what_is_no_time_makes_no_mean() {
        let none: [&[f64]; 6] =
            [&[], &[0.0, 0.0], &[1.0, f64::NAN], &[1.0, -1.0], &[1.0, f64::INFINITY], &[f64::NAN]];
        for times in none {
            assert_eq!(query_mean(times), None, "{times:?}");
            assert_eq!(penalised_mean(times, &[1.0]), None, "{times:?}");
        }
        assert_eq!(penalised_mean(&[1.0], &[f64::NAN]), None);
        assert_eq!(penalised_mean(&[], &[1.0]), None);
    }
}
