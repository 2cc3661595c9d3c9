//! Estimates the mean of a time series with its 95 % confidence interval.
//!
//! The method is non-overlapping batch means (Law, "Simulation Modeling and Analysis", 5th ed., §9.5.3). It combines
//! neighbouring intervals into batches that are almost uncorrelated. The confidence interval is computed from the
//! variance between these batches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// The standard error of the mean.
    pub error: f64,
    /// The degrees of freedom of the error.
    pub freedom: f64,
}

impl Mean {
    /// Estimates the mean of consecutive values, which may be correlated. Returns `None` if there are fewer than five
    /// values.
    pub fn over_time(values: &[f64]) -> Option<Self> {
        over_time(values)
    }

    /// Estimates the mean of independent values, such as one from each run. Returns `None` if there are fewer than two
    /// values.
    pub fn of_repeats(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        (values.len() >= 2).then(|| Self {
            value: mean(values),
            error: (variance(values) / count).sqrt(),
            freedom: count - 1.0,
        })
    }

    /// Returns the ends of the 95 % confidence interval.
    pub fn interval_95(self) -> (f64, f64) {
        let half = self.half(0.975);
        (self.value - half, self.value + half)
    }

    /// Returns the logarithm of the mean, with an error according to the delta method. Returns `None` unless the mean
    /// is positive.
    pub(crate) fn ln(self) -> Option<Self> {
        (self.value > 0.0).then(|| Self {
            value: self.value.ln(),
            error: self.error / self.value,
            freedom: self.freedom,
        })
    }

    /// Returns the p-value: the probability of an estimate at least this far from zero if the true mean is zero.
    pub(crate) fn p(self) -> f64 {
        match (self.value == 0.0, self.error > 0.0) {
            (true, _) => 1.0,
            (false, false) => 0.0,
            (false, true) => 2.0 * t_tail(self.value.abs() / self.error, self.freedom),
        }
    }

    /// Returns half of the confidence interval's width. `quantile` selects the quantile of Student's t-distribution.
    pub(crate) fn half(self, quantile: f64) -> f64 {
        t_quantile(quantile, self.freedom) * self.error
    }
}

/// A mean with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EstimateRecord")]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Number of values.
    pub samples: u64,
    /// Number of nearly independent batches.
    pub batches: u64,
}

impl Estimate {
    /// Computes a mean and its standard error from a confidence interval.
    pub fn mean(&self) -> Mean {
        let freedom = (self.batches as f64 - 1.0).max(1.0);
        let error = (self.high - self.low) / 2.0 / t_quantile(0.975, freedom);
        Mean { value: self.value, error, freedom }
    }

    /// Returns half of the interval's width as a fraction of the mean. For example, 0.008 means ±0.8 %.
    pub fn relative(&self) -> f64 {
        if self.value == 0.0 { 0.0 } else { (self.high - self.low) / 2.0 / self.value.abs() }
    }
}

/// Minimum number of batches needed to compute an interval.
const BATCHES_MIN: usize = 5;
/// Maximum correlation at which neighbouring batches count as uncorrelated.
const CORRELATION_MAX: f64 = 0.3;

/// Returns the mean with its 95 % confidence interval. Returns `None` for fewer than five values.
pub fn batch_means(values: &[f64]) -> Option<Estimate> {
    let batches = batches(values)?;
    let mean = correlated(values, &batches);
    let (low, high) = mean.interval_95();
    Some(Estimate {
        value: mean.value,
        low,
        high,
        batches: batches.len() as u64,
        samples: values.len() as u64,
    })
}

/// Returns the mean of consecutive `values` with its standard error.
pub(crate) fn over_time(values: &[f64]) -> Option<Mean> {
    Some(correlated(values, &batches(values)?))
}

/// Combines neighbouring values into batches that are almost uncorrelated.
///
/// Doubles the batch size as long as the correlation exceeds 0.3 and at least ten batches would remain.
fn batches(values: &[f64]) -> Option<Vec<f64>> {
    if values.len() < BATCHES_MIN {
        return None;
    }
    let mut batches = values.to_vec();
    while batches.len() >= 20 && correlation(&batches) > CORRELATION_MAX {
        // Form the pairs from the end. If the number of batches is odd, this leaves out the first one, which is least
        // likely to be in the steady state.
        let odd = batches.len() % 2;
        batches =
            batches[odd..].chunks_exact(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    }
    Some(batches)
}

/// Estimates the mean from batches. If the batches are still correlated, the variance is multiplied by (1+ρ)/(1−ρ),
/// because the interval would otherwise be too narrow.
fn correlated(values: &[f64], batches: &[f64]) -> Mean {
    let count = batches.len() as f64;
    let rho = correlation(batches).clamp(0.0, 0.9);
    let widening = (1.0 + rho) / (1.0 - rho);
    Mean {
        value: mean(values),
        error: (variance(batches) * widening / count).sqrt(),
        freedom: count - 1.0,
    }
}

/// Returns a quantile of Student's t-distribution.
pub(crate) fn t_quantile(share: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or(f64::NAN, |t| t.inverse_cdf(share))
}

/// Returns the probability that a t-distributed variable exceeds this value.
pub(crate) fn t_tail(value: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or(f64::NAN, |t| t.sf(value))
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the unbiased sample variance.
pub(crate) fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

/// Returns the lag-1 autocorrelation, or 0 for constant values.
fn correlation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let spread: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if spread == 0.0 {
        return 0.0;
    }
    let together: f64 = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
    together / spread
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tacho_core::Seed;

    /// Michelson's measurements of the speed of light from 1879. Each number is the excess over 299,000 km/s, in units
    /// of 10 km/s (NIST Statistical Reference Datasets, "Michelso").
    const MICHELSON: [u8; 100] = [
        85, 74, 90, 107, 93, 85, 95, 98, 98, 88, 100, 98, 93, 65, 76, 81, 100, 100, 96, 96, 96, 94,
        96, 94, 88, 80, 85, 88, 90, 84, 83, 79, 81, 88, 88, 83, 80, 79, 76, 80, 88, 88, 88, 86, 72,
        72, 62, 86, 97, 95, 88, 91, 85, 87, 84, 84, 85, 84, 84, 84, 89, 81, 81, 82, 80, 77, 76, 74,
        75, 76, 91, 92, 89, 86, 88, 72, 84, 85, 85, 78, 89, 84, 78, 81, 76, 81, 79, 81, 82, 85, 87,
        87, 81, 74, 81, 94, 95, 80, 81, 87,
    ];

    #[test]
    fn moments_and_correlation_are_the_certified_ones() {
        let values: Vec<f64> =
            MICHELSON.iter().map(|value| 299.0 + f64::from(*value) / 100.0).collect();
        let near = |found: f64, certified: f64| (found / certified - 1.0).abs() < 1e-10;
        assert!(near(mean(&values), 299.852_4));
        assert!(near(variance(&values).sqrt(), 0.079_010_547_819_051_8));
        assert!(near(correlation(&values), 0.535_199_668_621_283));
        // The data set "NumAcc2": 1.2, followed by alternating values of 1.1 and 1.3.
        let turns: Vec<f64> = std::iter::once(1.2).chain([1.1, 1.3].repeat(500)).collect();
        assert!(near(mean(&turns), 1.2) && near(variance(&turns).sqrt(), 0.1));
        assert!(near(correlation(&turns), -0.999));
    }

    /// For a first-order autoregressive process, the variance of the mean is σ² ÷ n · ((1 + ρ) ÷ (1 − ρ) − 2ρ(1 − ρⁿ) ÷
    /// (n(1 − ρ)²)) (Law, §4.4).
    #[test]
    fn the_error_is_that_of_a_process_whose_error_is_known() {
        for rho in [0.0_f64, 0.5, 0.8] {
            let length = 400.0;
            let known = (1.0 + rho) / (1.0 - rho)
                - 2.0 * rho * (1.0 - rho.powf(length)) / (length * (1.0 - rho).powi(2));
            let known = known / (1.0 - rho * rho) / length;
            let squares = (0..400).map(|trial| {
                let values = autoregressive(rho, length as usize, trial);
                over_time(&values).expect("enough values").error.powi(2)
            });
            let ratio = squares.sum::<f64>() / 400.0 / known;
            assert!((0.85..1.25).contains(&ratio), "ρ = {rho}: {ratio}");
        }
    }

    proptest! {
        /// If the values are scaled or shifted, the estimate must be scaled or shifted in the same way.
        #[test]
        fn the_interval_follows_the_values(
            values in prop::collection::vec(1.0..1e3_f64, 5..120),
            shift in 0.0..1e3_f64,
        ) {
            let estimate = batch_means(&values).expect("five values");
            prop_assert!(estimate.low <= estimate.value && estimate.value <= estimate.high);
            prop_assert!(estimate.batches >= BATCHES_MIN as u64 && estimate.batches <= estimate.samples);
            let moved: Vec<f64> = values.iter().map(|value| 4.0 * value + shift).collect();
            let moved = batch_means(&moved).expect("five values");
            for (bound, moved) in [(estimate.value, moved.value), (estimate.low, moved.low), (estimate.high, moved.high)] {
                prop_assert!((4.0 * bound + shift - moved).abs() < 1e-6, "{bound} {moved}");
            }
        }
    }

    /// Two-sided 95 % values from a standard table of Student's t-distribution.
    #[test]
    fn t_quantiles_match_the_table() {
        for (freedom, table) in [(1.0, 12.706), (4.0, 2.776), (9.0, 2.262), (30.0, 2.042)] {
            assert!((t_quantile(0.975, freedom) - table).abs() < 1e-3, "{freedom}");
        }
    }

    #[test]
    fn few_values_have_no_interval_and_constant_ones_a_narrow_one() {
        assert_eq!(batch_means(&[1.0; 4]), None);
        let estimate = batch_means(&[7.0; 30]).expect("thirty values");
        assert_eq!((estimate.low, estimate.value, estimate.high), (7.0, 7.0, 7.0));
    }

    /// Returns an approximately normal number, computed as the sum of twelve uniform numbers.
    fn normal(rng: &mut tacho_core::Rng) -> f64 {
        (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
    }

    /// Returns a first-order autoregressive process around 100, in its steady state.
    fn autoregressive(rho: f64, length: usize, trial: u64) -> Vec<f64> {
        let mut rng = Seed(5).rng(trial);
        let mut last = normal(&mut rng) / (1.0 - rho * rho).sqrt();
        let mut next = || {
            last = rho * last + normal(&mut rng);
            100.0 + last
        };
        (0..length).map(|_| next()).collect()
    }

    fn coverage(rho: f64, length: usize) -> f64 {
        let trials = 1_000;
        let hits = (0..trials)
            .filter(|trial| {
                let values = autoregressive(rho, length, *trial);
                let estimate = batch_means(&values).expect("enough values");
                estimate.low <= 100.0 && 100.0 <= estimate.high
            })
            .count();
        hits as f64 / trials as f64
    }

    #[test]
    fn the_interval_covers_the_truth_in_about_95_percent() {
        for (rho, length, least) in [(0.0, 60, 0.93), (0.5, 300, 0.91), (0.8, 600, 0.90)] {
            let share = coverage(rho, length);
            assert!((least..0.995).contains(&share), "ρ = {rho}: {share}");
        }
    }
}
