//! Where the warm-up ends.
//!
//! MSER-5 (White, Cobb and Spratt, Proceedings of the Winter Simulation Conference, 2000): values
//! are averaged in fives, and the start is cut where the standard error of what is left is
//! smallest. Start reading at [`warm_up`].

use crate::estimate::{mean, variance};

/// Values of one average.
const BATCH: usize = 5;
/// Fewest averages the rule is asked of.
const BATCHES_MIN: usize = 6;

/// How many of the first values belong to the warm-up; `None` if there are too few values, or if
/// the rule would cut more than half of them: then the end of the warm-up was not seen.
pub fn warm_up(values: &[f64]) -> Option<usize> {
    let batches: Vec<f64> = values.chunks_exact(BATCH).map(mean).collect();
    if batches.len() < BATCHES_MIN {
        return None;
    }
    // The last averages are never left alone: the error of a handful of values is small by chance.
    let cuts = 0..=batches.len() - BATCHES_MIN / 2;
    let error = |cut: usize| {
        let left = &batches[cut..];
        variance(left) / left.len() as f64
    };
    let best = cuts.min_by(|a, b| error(*a).total_cmp(&error(*b)))?;
    (best <= batches.len() / 2).then_some(best * BATCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(i: usize) -> f64 {
        (i * 7_919 % 13) as f64 - 6.0
    }

    #[test]
    fn the_end_of_a_ramp_is_found() {
        let level = |i: usize| if i < 40 { 500.0 + 12.5 * i as f64 } else { 1_000.0 };
        let values: Vec<f64> = (0..200).map(|i| level(i) + noise(i)).collect();
        let end = warm_up(&values).expect("settled");
        assert!((30..=45).contains(&end), "{end}");
    }

    #[test]
    fn what_was_settled_is_not_cut_much_and_what_never_settles_has_no_end() {
        let flat: Vec<f64> = (0..200).map(|i| 1_000.0 + noise(i)).collect();
        assert!(warm_up(&flat).is_some_and(|end| end <= 50), "{:?}", warm_up(&flat));
        let rising: Vec<f64> = (0..200).map(|i| 10.0 * f64::from(i)).collect();
        assert_eq!(warm_up(&rising), None);
        assert_eq!(warm_up(&flat[..29]), None);
    }
}
