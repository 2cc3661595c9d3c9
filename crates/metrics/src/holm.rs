//! Many tests at once: the chance that any of them is wrong.
//!
//! Method: Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
//! Statistics 6, 1979. It holds whatever the tests have to do with each other, which matters here:
//! points of one sweep share a server. Start reading at [`holm`].

/// Adjusted p-values, in the order given: one at or below α is significant although so many were
/// looked at, and the chance of any false one among them is at most α.
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

    /// The example of the method's article in the English Wikipedia, with the adjusted values of R's
    /// `p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")`.
    #[test]
    fn it_agrees_with_a_published_example() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (own, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((own - expected).abs() < 1e-12, "{adjusted:?}");
        }
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn families_of_equal_things_are_hardly_ever_wrong() {
        let wrong = |trial: &u64| {
            let mut rng = Seed(3).rng(*trial);
            // Under no difference a p-value is uniform.
            let p: Vec<f64> = (0..20).map(|_| rng.unit()).collect();
            holm(&p).iter().any(|own| *own <= 0.05)
        };
        let families = (0..2_000).filter(wrong).count();
        assert!((50..=130).contains(&families), "{families} of 2000 families, about 100 expected");
    }

    proptest! {
        /// Between no adjustment and Bonferroni's, and in the same order.
        #[test]
        fn adjusted_values_keep_their_order(p in prop::collection::vec(0.0..1.0_f64, 1..30)) {
            let adjusted = holm(&p);
            for (a, own) in p.iter().zip(&adjusted) {
                prop_assert!(own >= a && *own <= (a * p.len() as f64).min(1.0));
                for (b, other) in p.iter().zip(&adjusted) {
                    prop_assert!(a > b || own <= other);
                }
            }
        }
    }
}
