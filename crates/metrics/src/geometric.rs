//! Geometric means of query times and other durations.
//!
//! A failed query has no time, so most means leave it out. Only [`penalised_mean`] includes it, as a very slow query.

use std::time::Duration;

/// Maximum ratio between the time of the slowest query and that of any other query (TPC-H 3.0.1, clause 5.4.1.4). If a
/// query is even faster, its time is increased to this limit, because it would otherwise dominate the mean.
const QUICKER_MOST: f64 = 1_000.0;
/// Ratio between the time assumed for a failed query and that of the slowest query. PAR10 uses the same ratio (Hutter
/// et al., Journal of Artificial Intelligence Research 36 (2009), 267–306).
const PENALTY: f64 = 10.0;

/// Returns (t₁ · … · tₙ)^(1/n) in seconds, or `None` if there are no times. Uses logarithms, because the product might
/// overflow.
pub fn geometric_mean(times: impl IntoIterator<Item = Duration>) -> Option<f64> {
    mean_of(times.into_iter().map(|time| time.as_secs_f64()))
}

/// Returns the geometric mean of query times in seconds. A time shorter than one thousandth of the longest is increased
/// to this value. Returns `None` if a time is invalid or if none is positive.
pub fn query_mean(times_s: &[f64]) -> Option<f64> {
    let longest = longest(times_s).filter(|longest| *longest > 0.0)?;
    mean_of(raised(times_s, longest))
}

/// Returns the geometric mean for a stream in which queries failed. The time of each failed query is assumed to be ten
/// times that of the slowest query. Returns `None` if no query succeeded.
pub fn penalised_mean(good_s: &[f64], failed_s: &[f64]) -> Option<f64> {
    let longest_good = longest(good_s).filter(|longest| *longest > 0.0)?;
    let longest = longest_good.max(longest(failed_s)?);
    let penalties = failed_s.iter().map(|_| PENALTY * longest);
    mean_of(raised(good_s, longest).chain(penalties))
}

fn raised(times_s: &[f64], longest: f64) -> impl Iterator<Item = f64> {
    times_s.iter().map(move |time| time.max(longest / QUICKER_MOST))
}

/// Returns the longest time, or zero if there are none. Returns `None` if a time is invalid.
fn longest(times_s: &[f64]) -> Option<f64> {
    let real = times_s.iter().all(|time| time.is_finite() && *time >= 0.0);
    real.then(|| times_s.iter().copied().fold(0.0, f64::max))
}

fn mean_of(times_s: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u64);
    for time in times_s {
        // A time of zero is allowed. Its logarithm is minus infinity, so the mean becomes exp(−∞), which is zero.
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
    fn queries_count_as_at_least_a_thousandth_of_the_longest() {
        assert!(near(query_mean(&[1.0, 4.0]), 2.0));
        assert!(near(query_mean(&[0.001, 1.0]), (0.001_f64).sqrt()));
        // The third query is very fast, and may even take zero time. The mean must still be defined.
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
        // This test simulates a query that ran longer than all others before it failed.
        assert!(near(penalised_mean(&[1.0, 4.0], &[6.0]), (1.0_f64 * 4.0 * 60.0).cbrt()));
        let failed = penalised_mean(&[1.0, 4.0], &[0.0]).expect("a mean");
        assert!(failed > query_mean(&[1.0, 4.0]).expect("a mean"), "to fail is never quicker");
    }

    #[test]
    fn invalid_times_have_no_mean() {
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
