//! Limits the probability of a false positive when many tests are evaluated together.
//!
//! The method is Holm's, from "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
//! Statistics 6, 1979. It is valid even if the tests depend on each other.
//!
//! Start reading at [`holm`].

/// Returns adjusted p-values. If all tests with an adjusted value up to α are called significant, the probability that
/// any of them is a false positive is at most α.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut last = 0.0_f64;
    for (rank, place) in order.into_iter().enumerate() {
        let left = (p.len() - rank) as f64;
        last = last.max((left * p[place]).min(1.0));
        adjusted[place] = last;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tacho_core::Seed;

    /// The example from Wikipedia. The expected values come from `p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")` in R.
    #[test]
    fn agrees_with_a_published_example() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (value, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((value - expected).abs() < 1e-12, "{adjusted:?}");
        }
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn families_of_equal_runs_are_rarely_wrong() {
        let wrong = |trial: &u64| {
            let mut rng = Seed(3).rng(*trial);
            // Without real differences, p-values are uniformly distributed.
            let p: Vec<f64> = (0..20).map(|_| rng.unit()).collect();
            holm(&p).iter().any(|value| *value <= 0.05)
        };
        let families = (0..2_000).filter(wrong).count();
        assert!(
            (50..=130).contains(&families),
            "{families} of 2000 families were wrong, but about 100 are expected"
        );
    }

    proptest! {
        /// Adjusted values have the same order as the original ones. They are not less than the original values and not
        /// greater than Bonferroni-adjusted ones.
        #[test]
        fn adjusted_values_keep_their_order(p in prop::collection::vec(0.0..1.0_f64, 1..30)) {
            let adjusted = holm(&p);
            for (a, value) in p.iter().zip(&adjusted) {
                prop_assert!(value >= a && *value <= (a * p.len() as f64).min(1.0));
                for (b, other) in p.iter().zip(&adjusted) {
                    prop_assert!(a > b || value <= other);
                }
            }
        }
    }
}
