//! Detects the end of the warm-up.
//!
//! The method is MSER-5 (White, Cobb and Spratt, Proceedings of the Winter Simulation Conference, 2000). It averages
//! values in batches of five and cuts off the start so that the standard error of the m remaining averages is smallest:
//! Σ (Y − Ȳ)² ÷ m².
//!
//! Start reading at [`warm_up`].

use crate::estimate::mean;

/// Number of values in a batch.
const BATCH: usize = 5;
/// Minimum number of batches needed to apply the method.
const BATCHES_MIN: usize = 6;
/// Minimum number of batches that must remain. The standard error of fewer batches may be small by chance (Hoad,
/// Robinson and Davies, Proceedings of the Winter Simulation Conference, 2008).
const LEFT_MIN: usize = 5;

/// Returns the number of values that belong to the warm-up. Returns `None` if there are too few values or the warm-up
/// is too long.
pub fn warm_up(values: &[f64]) -> Option<usize> {
    let batches: Vec<f64> = values.chunks_exact(BATCH).map(mean).collect();
    if batches.len() < BATCHES_MIN {
        return None;
    }
    let cuts = 0..=batches.len() - LEFT_MIN;
    let error = |cut: usize| {
        let left = &batches[cut..];
        let mean = mean(left);
        let squares: f64 = left.iter().map(|batch| (batch - mean).powi(2)).sum();
        squares / (left.len() as f64).powi(2)
    };
    let best = cuts.min_by(|a, b| error(*a).total_cmp(&error(*b)))?;
    (best <= batches.len() / 2).then_some(best * BATCH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tacho_core::Seed;

    /// The authors' criterion: cutting off a warm-up must improve the mean, and a needless cut must hardly change it.
    #[test]
    fn a_cut_takes_bias_away_and_does_little_harm() {
        let error = |bias: f64, cut: bool| {
            let squares = (0..200).map(|trial| {
                let mut rng = Seed(12).rng(trial);
                let (mut last, mut before) = (0.0, 0.0);
                let values: Vec<f64> = (0..300)
                    .map(|i| {
                        let noise = (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
                        // The authors' test data, which comes from a second-order autoregressive process.
                        (last, before) = (0.3 * last + 0.2 * before + noise, last);
                        bias * (-f64::from(i) / 20.0).exp() + last
                    })
                    .collect();
                let start = if cut { warm_up(&values).unwrap_or(0) } else { 0 };
                mean(&values[start..]).powi(2)
            });
            (squares.sum::<f64>() / 200.0).sqrt()
        };
        assert!(error(20.0, true) < 0.3 * error(20.0, false), "{}", error(20.0, true));
        assert!(error(0.0, true) < 1.5 * error(0.0, false), "{}", error(0.0, true));
    }

    proptest! {
        /// Compares the result with the definition by Σ Y² and Σ Y instead of deviations.
        #[test]
        fn the_cut_is_the_best_one(values in prop::collection::vec(0.0..100.0_f64, 30..150)) {
            let batches: Vec<f64> = values.chunks_exact(5).map(|chunk| chunk.iter().sum::<f64>() / 5.0).collect();
            let score = |cut: usize| {
                let m = (batches.len() - cut) as f64;
                let sum: f64 = batches[cut..].iter().sum();
                let squares: f64 = batches[cut..].iter().map(|batch| batch * batch).sum();
                (squares - sum * sum / m) / (m * m)
            };
            let least = (0..=batches.len() - LEFT_MIN).map(score).fold(f64::INFINITY, f64::min);
            if let Some(end) = warm_up(&values) {
                prop_assert!(end % 5 == 0 && end <= values.len() / 2);
                prop_assert!(score(end / 5) <= least + 1e-9);
            } else {
                let half = (0..=batches.len() / 2).map(score).fold(f64::INFINITY, f64::min);
                prop_assert!(half >= least - 1e-9);
            }
            let moved: Vec<f64> = values.iter().map(|value| 4.0 * value).collect();
            prop_assert_eq!(warm_up(&values), warm_up(&moved));
        }
    }

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
    fn cuts_little_of_a_steady_series_and_nothing_of_a_rising_one() {
        let flat: Vec<f64> = (0..200).map(|i| 1_000.0 + noise(i)).collect();
        assert!(warm_up(&flat).is_some_and(|end| end <= 50), "{:?}", warm_up(&flat));
        let rising: Vec<f64> = (0..200).map(|i| 10.0 * f64::from(i)).collect();
        assert_eq!(warm_up(&rising), None);
        assert_eq!(warm_up(&flat[..29]), None);
    }
}
