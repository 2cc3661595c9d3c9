//! The geometric mean of times.

use std::time::Duration;

/// (t₁ · … · tₙ)^(1/n) in seconds; `None` without times, or if one of them is zero, which would make
/// nothing of all others. Computed by logarithms, so that no product overflows.
pub fn geometric_mean(times: impl IntoIterator<Item = Duration>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u64);
    for time in times {
        if time.is_zero() {
            return None;
        }
        sum += time.as_secs_f64().ln();
        count += 1;
    }
    (count > 0).then(|| (sum / count as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_the_definition() {
        let mean =
            |millis: &[u64]| geometric_mean(millis.iter().copied().map(Duration::from_millis));
        let near = |found: Option<f64>, expected: f64| {
            found.is_some_and(|found| (found / expected - 1.0).abs() < 1e-12)
        };
        assert!(near(mean(&[1_000, 4_000]), 2.0));
        assert!(near(mean(&[7]), 0.007));
        assert!(near(mean(&[2_000, 4_000, 8_000]), 4.0));
        assert!(near(geometric_mean(vec![Duration::from_hours(1_000); 400]), 3_600_000.0));
        assert_eq!((mean(&[]), mean(&[1_000, 0])), (None, None));
    }
}
